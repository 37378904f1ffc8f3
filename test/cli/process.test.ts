import { readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { acrobat, command, endAll, here, hinted, parlance, repository, type Serving, serving, start } from './kit.ts'

let pong: Serving
let agent: Serving
beforeAll(async () => {
  const scripted = ['examples/pong.yaml', '--fake', 'examples/pong.fake.yaml', '-s', 'memory']
  ;[pong, agent] = await Promise.all([serving(scripted), serving([acrobat, '-s', 'memory'])])
})
afterAll(endAll)

/** An address where nothing listens. */
const nobody = 'http://127.0.0.1:9'

describe.concurrent('the command as a process', { timeout: 30_000 }, () => {
  test('send answers exactly pong and a line end', async () => {
    expect(await parlance(['send', pong.url, 'ping'])).toEqual({ code: 0, signal: null, out: 'pong\n', err: '' })
  })

  test('send takes what is piped in, and refuses an empty pipe', async () => {
    const [whole, part, nothing] = await Promise.all([
      parlance(['send', agent.url], { input: 'from a pipe\n' }),
      parlance(['send', agent.url, 'so:', '-'], { input: 'x' }),
      parlance(['send', agent.url], { input: '' }),
    ])
    expect([whole.out, part.out, nothing.code]).toEqual(['from a pipe\n', 'so: x\n', 2])
    expect(nothing.err).toMatch(/^error: there is nothing to send: the text is empty\nhint: /)
  })

  test('send tells why a task failed', async () => {
    const { code, out, err } = await parlance(['send', pong.url, 'fail'])
    expect([code, out]).toEqual([1, ''])
    expect(err).toMatch(/^error: the task failed: .*asked to fail.*\n$/)
  })

  test('send shows the text as it comes, and ends quietly when nobody reads on', async () => {
    const sending = start(['send', agent.url, 'count', '5000', '1', '--stream'])
    await sending.until('2\n')
    sending.child.stdout.destroy()
    expect(await sending.ended).toMatchObject({ code: 0, signal: null, err: '' })
  })

  test('send leaves the task running on Ctrl-C, and the command it shows goes on from there', async () => {
    const sending = start(['send', agent.url, 'count', '8', '150', '--stream'])
    await sending.until('2\n')
    sending.child.kill('SIGINT')
    const left = await sending.ended
    expect(left.code).toBe(130)
    expect(left.err).toMatch(
      /^The task goes on\. Follow it with: npx parlance subscribe .* --from \d+\nCancel it with: npx parlance cancel /,
    )
    const followed = await here(...hinted(left.err, 'subscribe'))
    expect(followed.code).toBe(0)
    expect(left.out + followed.out).toBe('1\n2\n3\n4\n5\n6\n7\n8\n')
  })

  test('send cancels the task on Ctrl-C when told to', async () => {
    const args = ['count', '500', '50', '--stream', '--cancel-on-interrupt', '--context', 'cancels']
    const sending = start(['send', agent.url, ...args])
    await sending.until('1\n')
    sending.child.kill('SIGINT')
    expect(await sending.ended).toMatchObject({ code: 130, err: 'The task is canceled.\n' })
    const listed = await here('list', agent.url, '--context', 'cancels', '--state', 'canceled')
    expect(listed.out.trim().split('\n')).toHaveLength(1)
  })

  test('an agent that cannot be reached is 4; no password and no stack trace is shown', async () => {
    const { code, out, err } = await parlance(['send', nobody.replace('//', '//me:letmein@'), 'hi'])
    expect([code, out]).toEqual([4, ''])
    expect(err).toMatch(/^error: No agent card was found for http:\/\/127\.0\.0\.1:9\/\. /)
    expect(err).not.toMatch(/letmein|\n {4}at /)
  })

  test('--version prints the version of the package', async () => {
    const { version } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8'))
    expect(await parlance(['--version'])).toEqual({ code: 0, signal: null, out: `${version}\n`, err: '' })
  })

  test('--help lists the commands', async () => {
    const { code, out, err } = await parlance(['--help'])
    expect([code, err]).toEqual([0, ''])
    const names = ['serve', 'send', 'card|discover', 'get', 'list', 'cancel', 'subscribe', 'schema']
    for (const name of names) expect(out).toContain(`\n  ${name} `)
  })

  test('no command at all shows help as an error', async () => {
    expect(await parlance([])).toMatchObject({ code: 2, out: '', err: expect.stringMatching(/^Usage: parlance /) })
  })

  const wrong: readonly (readonly [line: string, err: string])[] = [
    ['sned', "error: unknown command 'sned'\nhint: did you mean send?\n"],
    ['send', "error: missing required argument 'url'\nhint: parlance --help shows the commands\n"],
    [`send ${nobody} hi --strem`, "error: unknown option '--strem'\nhint: did you mean --stream?\n"],
  ]
  for (const [line, err] of wrong) {
    test(`${line} is a usage error`, async () => {
      expect(await parlance(line.split(' '))).toEqual({ code: 2, signal: null, out: '', err })
    })
  }

  test('a usage error is JSON with --json', async () => {
    const { code, out, err } = await parlance(['sned', '--json'])
    expect([code, err]).toEqual([2, ''])
    const error = { code: 'Usage', message: "unknown command 'sned'", exitCode: 2, hint: 'did you mean send?' }
    expect(JSON.parse(out)).toEqual({ error })
  })

  test('a whole schema gets through a pipe', async () => {
    const { code, out, err } = await parlance(['schema', '--proto'])
    expect([code, err, out]).toEqual([0, '', readFileSync(join(repository, 'spec', 'a2a.proto'), 'utf8')])
  })
})

test('the command starts without any package but the argument parser', () => {
  const seen = new Set<string>()
  const visit = (file: string): void => {
    if (seen.has(file)) return
    seen.add(file)
    const imports = readFileSync(file, 'utf8').matchAll(/(?:^|;)(?:import|export)[^;"'()]*["']([^"']+)["']/gm)
    for (const [, from = ''] of imports) {
      if (from.startsWith('.')) visit(join(dirname(file), from))
      else expect(from).toMatch(/^node:/)
    }
  }
  visit(command)
  expect([...seen].reduce((sum, file) => sum + statSync(file).size, 0)).toBeLessThan(100_000)
})
