// One chaos from beginning to end: it happens, is written down, and what was written down is checked.
import { join } from 'node:path'
import { fullText } from './behaviour.mjs'
import { createChecker } from './check.mjs'
import { createHistory, readLines } from './history.mjs'
import { runChaos } from './world.mjs'

/** Checks the history and the journal of runs that a folder holds. */
export async function checkFolder(folder, { reasons } = {}) {
  const checker = createChecker({ fullText, reasons })
  for await (const entry of readLines(join(folder, 'history.jsonl'))) checker.take(entry)
  for await (const entry of readLines(join(folder, 'runs.jsonl'))) checker.take({ kind: 'step', ...entry })
  return checker.finish()
}

/** Lets everything break, and tells what that did: `{ violations, counts, faults }`. Everything that was noted is in the folder. */
export async function runRound({ folder, reasons, ...settings }) {
  const history = createHistory(join(folder, 'history.jsonl'))
  const logs = createHistory(join(folder, 'logs.jsonl'))
  let faults
  try {
    const onLog = (text) => logs.record({ text })
    faults = (await runChaos({ ...settings, folder, history, onLog })).faults
  } finally {
    history.close()
    logs.close()
  }
  return { ...(await checkFolder(folder, { reasons })), faults }
}
