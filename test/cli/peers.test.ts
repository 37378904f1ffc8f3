import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { testCertificate, testKey } from '../../src/server/testing-certificate.ts'
import { acrobat, endAll, serving, start, temporaryFolder } from './kit.ts'

afterAll(endAll)

const bindings = ['jsonrpc', 'http', 'grpc']
const versions = ['1.0', '0.3']
const cells = versions.flatMap((version) => bindings.map((binding) => ({ version, binding })))

const json = async (args: readonly string[], env: Readonly<Record<string, string>> = {}) => {
  const { code, out, err } = await start([...args, '--json'], { env }).ended
  return { code, err, answer: out === '' ? undefined : JSON.parse(out.trim().split('\n').at(-1) ?? '') }
}

describe.concurrent('one process on one port', { timeout: 60_000 }, () => {
  test.each(cells)(
    'is called over $binding in $version by every command (EQ-01, EQ-02)',
    async ({ version, binding }) => {
      const server = await serving([acrobat, '-s', 'memory'])
      const how = ['--binding', binding, '--a2a-version', version]
      const sent = await json(['send', server.url, 'ask', ...how])
      const { id } = sent.answer.task
      expect([sent.err, sent.answer.task.status.state]).toEqual(['', 'TASK_STATE_INPUT_REQUIRED'])
      const streamed = await start(['send', server.url, 'hello', '--stream', '--json', ...how]).ended
      expect([streamed.code, streamed.out.trim().split('\n').length > 1]).toEqual([0, true])
      const read = await json(['get', server.url, id, ...how])
      expect(read.answer.id).toBe(id)
      const listed = await json(['list', server.url, ...how])
      expect(version === '1.0' ? listed.answer.totalSize : listed.code).toBe(version === '1.0' ? 2 : 1)
      const canceled = await json(['cancel', server.url, id, ...how])
      expect(canceled.answer.status.state).toBe('TASK_STATE_CANCELED')
      const gone = await json(['get', server.url, 'nope', ...how])
      expect([gone.code, JSON.stringify(gone)]).toEqual([1, expect.stringContaining('TaskNotFound')])
      server.child.kill('SIGTERM')
    },
  )

  test('speaks TLS with the files that the flags name, over every binding (SEC-01, GRPC-02)', async () => {
    const folder = temporaryFolder()
    const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
    writeFileSync(cert, testCertificate)
    writeFileSync(key, testKey)
    const server = await serving([acrobat, '-s', 'memory', '--tls-cert', cert, '--tls-key', key])
    expect(server.url).toMatch(/^https:/)
    for (const binding of bindings) {
      const { answer } = await json(['send', server.url, 'hello', '--binding', binding], { NODE_EXTRA_CA_CERTS: cert })
      expect([binding, answer.task.status.state]).toEqual([binding, 'TASK_STATE_COMPLETED'])
    }
    server.child.kill('SIGTERM')
  })

  test('has gRPC on an address of its own as well, and paths where they are wanted', async () => {
    const paths = ['--jsonrpc-path', '/jsonrpc', '--rest-path', '/rest', '--card-path', '/.well-known/agent-card.json']
    const more = ['--card-path', '/.well-known/agent.json', '--profile', 'itk', '--grpc-listen', '127.0.0.1:0']
    const server = await serving([acrobat, '-s', 'memory', ...paths, ...more])
    const card = (await (await fetch(`${server.url}/.well-known/agent.json`)).json()) as {
      url: string
      supportedInterfaces: readonly { url: string }[]
    }
    const { grpc } = server.announced as { grpc: string }
    expect(grpc).not.toBe(new URL(server.url).host)
    expect(card.url).toBe(`${server.url}/jsonrpc`)
    expect(card.supportedInterfaces.map(({ url }) => url)).toEqual([
      `${server.url}/jsonrpc`,
      `${server.url}/rest`,
      grpc,
      `${server.url}/jsonrpc`,
      `${server.url}/rest`,
      grpc,
    ])
    for (const { version, binding } of cells) {
      const { answer } = await json(['send', server.url, 'hello', '--binding', binding, '--a2a-version', version])
      expect(answer.task.status.state).toBe('TASK_STATE_COMPLETED')
    }
    server.child.kill('SIGTERM')
  })

  test.each([
    [['--tls-cert', 'nope.pem'], 'give both --tls-cert and --tls-key'],
    [['--tls-cert', 'nope.pem', '--tls-key', 'nope.pem'], 'nope.pem: cannot be read'],
    [['--tls-cert', 'package.json', '--tls-key', 'package.json'], 'is not in PEM form'],
    [['--grpc-listen', '0.0.0.0:0'], '--grpc-listen 0.0.0.0:0: everybody'],
    [['--profile', 'tck'], 'spec-1.0.1'],
    [['--jsonrpc-path', 'rpc'], 'must begin with /'],
  ])('refuses %j with what to do', async (flags, text) => {
    const { code, err } = await start(['serve', acrobat, '-s', 'memory', '-l', '127.0.0.1:0', ...flags]).ended
    expect([code, err]).toEqual([2, expect.stringContaining(text)])
  })
})
