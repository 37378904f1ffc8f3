import { writeSync } from 'node:fs'

/**
 * Vitest reporter that ends a run with one line, `N passed, N failed`, after everything else that is printed.
 * Files that did not load and errors outside of tests count as failed; skipped tests are named and counted.
 */
export default class SummaryReporter {
  #lines = []
  #listening = false

  onInit(vitest) {
    this.watching = vitest.config.watch
  }

  onTestRunEnd(modules, unhandledErrors) {
    const failedBefore = Number(process.env.PARLANCE_FAILED_BEFORE ?? 0)
    const totals = { passed: 0, failed: unhandledErrors.length + failedBefore, skipped: [] }
    for (const module of modules) count(module, totals)
    const { passed, failed, skipped } = totals
    this.#lines = skipped.map((name) => `skipped: ${name}`)
    const tail = skipped.length > 0 ? `, ${skipped.length} skipped` : ''
    this.#lines.push(`${passed} passed, ${failed} failed${tail}`)
    if (this.watching) this.#print()
    else if (!this.#listening) {
      this.#listening = true
      process.once('exit', () => this.#print())
    }
  }

  #print() {
    writeAll(`${this.#lines.join('\n')}\n`)
  }
}

function count(module, totals) {
  for (const suite of module.children.allSuites()) totals.failed += suite.errors().length > 0 ? 1 : 0
  if (module.errors().length > 0) totals.failed += 1
  for (const test of module.children.allTests()) {
    const { state } = test.result()
    if (state === 'passed') totals.passed += 1
    else if (state === 'failed') totals.failed += 1
    else totals.skipped.push(`${module.relativeModuleId} > ${test.fullName}`)
  }
}

// A pipe may be full at exit, and there is no later turn to wait for it in.
function writeAll(text) {
  let rest = Buffer.from(text)
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(1, rest))
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error
    }
  }
}
