import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { here, onTerminal, servedHere } from './kit.ts'

const cards: Readonly<Record<string, unknown>> = {
  '/broken/.well-known/agent-card.json': {
    name: 'broken\u001b[31m',
    description: 'Breaks\nrules.',
    supportedInterfaces: [{ url: 'http://0.0.0.0:1/', protocolBinding: 'jsonrpc', protocolVersion: '1.0.0' }],
    capabilities: {},
    defaultInputModes: [],
    skills: [],
  },
  '/old/.well-known/agent-card.json': { name: 'old', url: 'http://old.test/', protocolVersion: '0.3.0', skills: [] },
}

let agent: Awaited<ReturnType<typeof servedHere>>
let other: Server
let elsewhere = ''
beforeAll(async () => {
  other = createServer(({ url = '' }, response) => {
    const card = cards[url]
    response
      .writeHead(card === undefined ? 404 : 200, { 'content-type': 'application/json' })
      .end(JSON.stringify(card ?? {}))
  })
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  elsewhere = `http://127.0.0.1:${(other.address() as AddressInfo).port}`
  agent = await servedHere()
})
afterAll(async () => {
  await agent.close()
  await new Promise((resolve) => other.close(resolve))
})

describe.concurrent('parlance list', () => {
  test('prints tabbed lines in a pipe, and pages', async () => {
    for (const word of ['a', 'b', 'ask']) await here('send', agent.url, word, '--context', 'pages')
    const [all, first, waiting] = await Promise.all([
      here('list', agent.url, '--context', 'pages', '--page-size', '2', '--all'),
      here('list', agent.url, '--context', 'pages', '--page-size', '2', '--json'),
      here('list', agent.url, '--context', 'pages', '--state', 'input-required'),
    ])
    const lines = all.out
      .split('\n')
      .slice(0, -1)
      .map((line) => line.split('\t'))
    expect(lines.map(([, state, , ...rest]) => [state, ...rest])).toEqual([
      ['input-required', 'pages', 'Which colour?'],
      ['completed', 'pages', ''],
      ['completed', 'pages', ''],
    ])
    const page = JSON.parse(first.out)
    expect(page).toMatchObject({ pageSize: 2, totalSize: 3, tasks: [{ id: lines[0]?.[0] }, { id: lines[1]?.[0] }] })
    expect(waiting.out.split('\n')).toHaveLength(2)
    const next = await here(
      'list',
      agent.url,
      '--context',
      'pages',
      '--page-size',
      '2',
      '--page-token',
      page.nextPageToken,
    )
    expect(next.out.split('\t')[0]).toBe(lines[2]?.[0])
  })

  test('prints a table on a terminal', async () => {
    for (const word of ['a', 'reject']) await here('send', agent.url, word, '--context', 'table')
    const { out } = await onTerminal('list', agent.url, '--context', 'table')
    const [head, first] = out.split('\n')
    expect(head).toMatch(/^\S*TASK\S* +\S*STATE\S* +\S*AGE\S* +\S*STATUS MESSAGE\S*$/)
    expect(first).toMatch(/^[\w-]{36} {2}\S*rejected\S* +\S*\ds\S* +Not today\.$/)
    expect((await onTerminal('list', agent.url, '--context', 'none')).err).toBe('No tasks.\n')
  })

  test('says how to go on when there is more', async () => {
    for (const word of ['a', 'b']) await here('send', agent.url, word, '--context', 'more')
    const { code, err } = await here('list', agent.url, '--context', 'more', '--page-size', '1')
    expect(code).toBe(0)
    expect(err).toMatch(/^There are more\. Go on with: npx parlance list .* --page-token \S+, or use --all\n$/)
  })

  test('refuses a state that no task has', async () => {
    expect(await here('list', agent.url, '--state', 'done')).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringMatching(/^error: --state: "done" is not a task state\nhint: one of submitted, working, /),
    })
  })
})

describe.concurrent('parlance get, cancel and subscribe', () => {
  test('cancel a task that works, once', async () => {
    const { out } = await here('send', agent.url, 'count', '500', '50', '--no-wait')
    const id = out.trim()
    expect(await here('cancel', agent.url, id)).toMatchObject({ code: 0, out: 'canceled\n', err: '' })
    const [read, followed] = await Promise.all([
      here('get', agent.url, id, '--json'),
      here('subscribe', agent.url, id, '--json'),
    ])
    expect(JSON.parse(read.out)).toMatchObject({ id, status: { state: 'TASK_STATE_CANCELED' } })
    expect(read.code).toBe(0)
    expect(JSON.parse(followed.out.trim().split('\n')[0] ?? '')).toHaveProperty('task.id', id)
    expect(followed.code).toBe(1)
  })

  test('a task that has ended cannot be canceled', async () => {
    const { out } = await here('send', agent.url, 'x', '--json')
    expect(await here('cancel', agent.url, JSON.parse(out).task.id)).toMatchObject({
      code: 1,
      out: '',
      err: /^error: /,
    })
  })

  for (const command of ['get', 'cancel', 'subscribe']) {
    test(`${command} tells of a task that is not there`, async () => {
      const { code, out, err } = await here(command, agent.url, 'nope')
      expect([code, out]).toEqual([1, ''])
      expect(err).toMatch(/^error: .*nope.*\nhint: parlance list shows the tasks that you may see\n$/)
    })
  }

  test('subscribe sees a question and the end that follows its answer', async () => {
    const { out } = await here('send', agent.url, 'ask', '--json')
    const { id } = JSON.parse(out).task
    const following = here('subscribe', agent.url, id)
    await here('send', agent.url, '--task', id, 'green')
    const followed = await following
    expect(followed.code).toBe(0)
    expect(followed.out.endsWith('to Which colour? you said green\n')).toBe(true)
  })
})

describe.concurrent('parlance card', () => {
  test('shows a sound card without a warning', async () => {
    const { code, out, err } = await here('card', agent.url)
    expect([code, err]).toEqual([0, ''])
    expect(out).toMatch(/^acrobat 1\.2\.3\nDoes what it is told\.\n/)
    expect(out).toContain(`  JSONRPC 1.0  ${agent.url}/invoke\n`)
  })

  test('is called discover as well, and gives the card as it is with --json', async () => {
    const { out } = await here('discover', agent.url, '--json')
    expect(JSON.parse(out)).toEqual(await (await fetch(`${agent.url}/.well-known/agent-card.json`)).json())
  })

  test('tells what strict readers reject, and keeps hostile text off the terminal', async () => {
    const { code, out, err } = await here('card', `${elsewhere}/broken`)
    expect(code).toBe(0)
    expect(out).toMatch(/^broken \nBreaks rules\.\n/)
    expect(err).toContain('warning: a strict reader rejects this card: version: ')
    expect(err).toContain('warning: a strict reader rejects this card: skills: ')
    expect(err).toContain('must be written "JSONRPC"')
    expect(err).toContain('names no host')
  })

  test('Case 24 shows a card of 0.3 as what it is, and rejects nothing in it', async () => {
    const { code, out, err } = await here('card', `${elsewhere}/old`)
    expect(code).toBe(0)
    expect(out).toMatch(/form +0\.3\n/)
    expect(out).toContain('  JSONRPC 0.3  http://old.test/')
    expect(err).not.toContain('rejects')
  })

  test('tells where it looked when there is none', async () => {
    const { code, err } = await here('card', elsewhere)
    expect(code).toBe(4)
    expect(err).toMatch(/^error: No agent card was found for .* Tried:\n {2}.*agent-card\.json: HTTP status 404\n/)
  })
})
