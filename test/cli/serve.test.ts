import { execFileSync } from 'node:child_process'
import { copyFileSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { acrobat, endAll, here, parlance, repository, serving, start, temporaryFolder } from './kit.ts'

afterAll(endAll)

const pong = ['examples/pong.yaml', '--fake', 'examples/pong.fake.yaml']

describe.concurrent('parlance serve', { timeout: 30_000 }, () => {
  test('says where the agent is and how it is called, also in a pipe, and ends with 0', async () => {
    const server = start(['serve', ...pong, '-s', 'memory', '-l', '127.0.0.1:0'])
    await server.until('call')
    await server.until('"ping"\n')
    const url = /http:\/\/127\.0\.0\.1:\d+/.exec(server.out())?.[0] ?? ''
    server.child.kill('SIGTERM')
    expect(await server.ended).toEqual({
      code: 0,
      signal: null,
      out: [
        `pong is served at ${url}`,
        `card  ${url}/.well-known/agent-card.json`,
        'tasks in memory, gone when this ends',
        `call  npx parlance send ${url} "ping"`,
        '',
      ].join('\n'),
      err: '',
    })
  })

  test('says it in one JSON line with --json, and logs JSON lines', async () => {
    const server = await serving([...pong, '-s', 'memory'])
    server.child.kill('SIGINT')
    const { code, out, err } = await server.ended
    expect([code, out.split('\n').length]).toEqual([0, 2])
    expect(server.announced).toEqual({
      url: server.url,
      cardUrl: `${server.url}/.well-known/agent-card.json`,
      grpc: new URL(server.url).host,
      command: `npx parlance send ${server.url} "ping"`,
      agent: { name: 'pong', version: expect.any(String) },
      store: 'memory',
      pid: server.child.pid,
      warnings: [],
    })
    const logged = err
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(logged[0]).toMatchObject({ level: 'info', msg: 'agent loaded', pid: server.child.pid })
  })

  test('warns of each oddity of the file once, and refuses them with --strict', async () => {
    const file = join(temporaryFolder(), 'odd.yaml')
    writeFileSync(file, 'agents:\n  root:\n    model: openai/gpt-5-mini\n    instruction: Hi.\n    colour: red\n')
    const server = start(['serve', file, ...pong.slice(1), '-s', 'memory', '-l', '127.0.0.1:0'])
    await server.until('"ping"\n')
    server.child.kill('SIGTERM')
    const { err } = await server.ended
    expect(err.match(/colour/g)).toHaveLength(1)
    expect(err).toContain(`warning: ${file}:5:5: agents.root.colour: `)
    const strict = await here('serve', file, ...pong.slice(1), '-s', 'memory', '--strict')
    expect(strict).toMatchObject({ code: 2, out: '', err: expect.stringContaining(`error: ${file}:5:5: `) })
  })

  test('lets a running task finish, for as long as the grace time', async () => {
    const server = await serving([acrobat, '-s', 'memory', '--grace', '20s'])
    const sending = start(['send', server.url, 'count', '5', '100', '--stream'])
    await sending.until('2\n')
    server.child.kill('SIGTERM')
    expect(await sending.ended).toMatchObject({ code: 0, out: '1\n2\n3\n4\n5\n' })
    expect(await server.ended).toMatchObject({ code: 0 })
  })

  test('ends at once at the second signal', async () => {
    const server = await serving([acrobat, '-s', 'memory', '--grace', '1h'])
    await here('send', server.url, 'count', '100000', '50', '--no-wait')
    server.child.kill('SIGTERM')
    while ((await fetch(`${server.url}/readyz`).catch(() => undefined))?.status === 200);
    server.child.kill('SIGTERM')
    expect(await server.ended).toMatchObject({ code: 143 })
  })

  test('keeps its tasks over kill -9', async () => {
    const store = join(temporaryFolder(), 'tasks.db')
    const first = await serving([...pong, '-s', `sqlite:${store}`])
    const sent = JSON.parse((await here('send', first.url, 'ping', '--json')).out).task
    const open = (await here('send', first.url, 'wait', '--no-wait')).out.trim()
    first.child.kill('SIGKILL')
    expect(await first.ended).toMatchObject({ signal: 'SIGKILL' })
    const second = await serving([...pong, '--session-db', store])
    const [read, waiting, listed] = await Promise.all([
      here('get', second.url, sent.id, '--json'),
      here('get', second.url, open, '--json'),
      here('list', second.url, '--json'),
    ])
    expect(JSON.parse(read.out)).toEqual(sent)
    expect(JSON.parse(waiting.out)).toHaveProperty('id', open)
    expect(JSON.parse(listed.out)).toMatchObject({ totalSize: 2 })
    second.child.kill('SIGTERM')
    expect(await second.ended).toMatchObject({ code: 0 })
  })

  test('asks for the token, and never shows it', async () => {
    const token = 'sesame-0123456789'
    const server = await serving([...pong, '-s', 'memory', '--protect-card'], { env: { PARLANCE_AUTH_TOKEN: token } })
    const [refused, wrong, json, right] = await Promise.all([
      here('send', server.url, 'ping'),
      here('send', server.url, 'ping', '--token', 'wrong-9876'),
      here('card', server.url, '--json'),
      parlance(['send', server.url, 'ping'], { env: { PARLANCE_TOKEN: token } }),
    ])
    expect(refused).toMatchObject({
      code: 3,
      out: '',
      err: expect.stringMatching(/^error: .*\n(?:.*\n)*hint: give a token with --token /),
    })
    expect(wrong.code).toBe(3)
    expect(wrong.err).not.toContain('wrong-9876')
    expect(JSON.parse(json.out)).toMatchObject({ error: { code: 'Unauthenticated', exitCode: 3 } })
    expect(right).toMatchObject({ code: 0, out: 'pong\n' })
    server.child.kill('SIGTERM')
    const { out, err } = await server.ended
    expect(out).toContain('--token \\"$PARLANCE_AUTH_TOKEN\\"')
    expect(out + err).not.toContain(token)
  })

  test('serves TypeScript, and modules where this package is not installed', async () => {
    const elsewhere = temporaryFolder()
    copyFileSync(acrobat, join(elsewhere, 'agent.mjs'))
    copyFileSync(join(repository, 'examples', 'echo.ts'), join(elsewhere, 'echo.ts'))
    const servers = await Promise.all([
      serving(['examples/echo.ts', '-s', 'memory']),
      serving(['echo.ts', '-s', 'memory'], { cwd: elsewhere }),
      serving(['agent.mjs', '-s', 'memory'], { cwd: elsewhere }),
    ])
    const answers = await Promise.all(servers.map(({ url }) => here('send', url, 'same')))
    expect(answers.map(({ out }) => out)).toEqual(['same\n', 'same\n', 'same\n'])
  })

  test('goes on when nobody reads what it prints', async () => {
    const server = start(['serve', ...pong, '-s', 'memory', '-l', '127.0.0.1:0'])
    await server.until('"ping"\n')
    const url = /http:\/\/127\.0\.0\.1:\d+/.exec(server.out())?.[0] ?? ''
    server.child.stdout.destroy()
    expect(await here('send', url, 'ping')).toMatchObject({ code: 0, out: 'pong\n' })
    server.child.kill('SIGTERM')
    expect(await server.ended).toMatchObject({ code: 0 })
  })

  test('says that the address is taken', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => other.once('listening', resolve))
    const { port } = other.address() as AddressInfo
    const { code, out, err } = await parlance(['serve', ...pong, '-s', 'memory', '-l', `127.0.0.1:${port}`])
    other.close()
    expect([code, out]).toEqual([2, ''])
    expect(err).toMatch(
      new RegExp(`^error: cannot listen on 127\\.0\\.0\\.1:${port}: another program listens there.*\n$`),
    )
  })

  const refused: readonly (readonly [name: string, args: (folder: string) => readonly string[], err: RegExp])[] = [
    ['no file', () => ['nowhere.yaml'], /^error: nowhere\.yaml:1:1: there is no such file\n$/],
    [
      'a module without an agent',
      (path) => [write(path, 'a.mjs', 'export const b = 1')],
      /^error: .*a\.mjs must export its agent by the name agent/,
    ],
    [
      'an address for everybody without a token',
      () => [...pong, '-l', ':0'],
      /^error: --listen :0: everybody .*\nhint: set --auth-token /,
    ],
    ['an address that is none', () => [...pong, '-l', 'here'], /^error: --listen: "here" is not an address/],
    [
      'a token that no header can carry',
      () => [...pong, '-s', 'memory', '--auth-token', 'se cret'],
      /^error: a bearer token must be letters/,
    ],
    [
      'a store that is not known',
      () => [...pong, '-s', 'mysql://me:pw@db/x'],
      /^error: --store: is not a store that is known here\nhint: /,
    ],
    [
      'a file that is no database',
      (path) => [...pong, '-s', write(path, 'a.db', 'plain text, no database')],
      /^error: .*a\.db: this file is not a SQLite database/,
    ],
    [
      'a path that is no folder',
      (path) => [...pong, '-s', join(write(path, 'a', ''), 'b.db')],
      /^error: .*cannot be opened for writing/,
    ],
    [
      'an origin that is none',
      () => [...pong, '-s', 'memory', '--cors-origin', 'here'],
      /^error: cors: "here" is not an origin/,
    ],
    [
      'a public URL that is none',
      () => [...pong, '-s', 'memory', '--public-url', 'here'],
      /^error: publicUrl: "here" must be/,
    ],
    [
      'a working folder that is not there',
      () => [...pong, '--working-dir', '/nowhere'],
      /^error: --working-dir \/nowhere: there is no such folder/,
    ],
    ['a flag of agent files for a module', () => [acrobat, '--fake', 'x'], /^error: --fake is for agent files/],
    [
      '--protect-card without a token',
      () => [...pong, '-s', 'memory', '--protect-card'],
      /^error: --protect-card needs a token/,
    ],
  ]
  for (const [name, args, err] of refused) {
    test(`refuses ${name}`, async () => {
      const ended = await here('serve', '-l', '127.0.0.1:0', ...args(temporaryFolder()))
      expect(ended).toMatchObject({ code: 2, out: '' })
      expect(ended.err).toMatch(err)
      expect(ended.err).not.toContain('    at ')
      expect(ended.err).not.toMatch(/se cret|me:pw/)
    })
  }

  test('refuses a module that does not parse', async () => {
    const { code, out, err } = await parlance(['serve', write(temporaryFolder(), 'a.mjs', 'export {')])
    expect([code, out]).toEqual([2, ''])
    expect(err).toMatch(/^error: \S.*\n$/)
  })

  test('refuses a database of another program', async () => {
    const path = join(temporaryFolder(), 'other.db')
    const make = `const { DatabaseSync } = await import('node:sqlite').catch(() => import('@photostructure/sqlite'));
      new DatabaseSync(process.argv[1]).exec('create table a (b)')`
    execFileSync(process.execPath, ['--no-warnings', '--input-type=module', '-e', make, path], { cwd: repository })
    const { code, out, err } = await parlance(['serve', ...pong, '-s', path, '-l', '127.0.0.1:0'])
    expect([code, out]).toEqual([2, ''])
    expect(err).toMatch(/^error: .*other\.db: this SQLite database belongs to another program\. Name another path\n$/)
  })
})

function write(path: string, name: string, text: string): string {
  const file = join(path, name)
  writeFileSync(file, text)
  return file
}
