import { describe, expect, test } from 'vitest'
import { A2AError } from '../../protocol/errors.ts'
import { readTarget } from './target.ts'

describe('AMB-60 addresses of gRPC interfaces', () => {
  const cases: readonly (readonly [address: string, name: string, url: string])[] = [
    ['agent.example:50051', 'dns:agent.example:50051', 'http://agent.example:50051/'],
    ['agent.example:443', 'dns:agent.example:443', 'https://agent.example:443/'],
    ['agent.example', 'dns:agent.example:80', 'http://agent.example:80/'],
    ['localhost:8082', 'dns:localhost:8082', 'http://localhost:8082/'],
    [' localhost:8082 ', 'dns:localhost:8082', 'http://localhost:8082/'],
    ['[::1]:8082', 'dns:[::1]:8082', 'http://[::1]:8082/'],
    ['::1', 'dns:[::1]:80', 'http://[::1]:80/'],
    ['http://agent.example', 'dns:agent.example:80', 'http://agent.example:80/'],
    ['http://agent.example:443/', 'dns:agent.example:443', 'http://agent.example:443/'],
    ['https://agent.example', 'dns:agent.example:443', 'https://agent.example:443/'],
    ['HTTPS://agent.example:8443/a2a/grpc?x=1', 'dns:agent.example:8443', 'https://agent.example:8443/'],
    ['grpc://agent.example:50051', 'dns:agent.example:50051', 'http://agent.example:50051/'],
    ['grpcs://agent.example', 'dns:agent.example:443', 'https://agent.example:443/'],
    ['dns:///agent.example:50051', 'dns:agent.example:50051', 'http://agent.example:50051/'],
    ['dns://8.8.8.8/agent.example:50051', 'dns://8.8.8.8/agent.example:50051', 'http://agent.example:50051/'],
    ['dns:agent.example:50051', 'dns:agent.example:50051', 'http://agent.example:50051/'],
    ['dns:443', 'dns:dns:443', 'https://dns:443/'],
    ['ipv4:10.0.0.1:5000,10.0.0.2:5000', 'ipv4:10.0.0.1:5000,10.0.0.2:5000', 'http://10.0.0.1:5000/'],
    ['ipv6:[::1]:5000', 'ipv6:[::1]:5000', 'http://[::1]:5000/'],
    ['unix:/run/agent.sock', 'unix:/run/agent.sock', 'http://localhost/'],
    ['unix:///run/agent.sock', 'unix:///run/agent.sock', 'http://localhost/'],
  ]
  for (const [address, name, url] of cases) {
    test(address, () => {
      const target = readTarget(address)
      expect([target.name, target.url]).toEqual([name, url])
      expect(target.secure).toBe(url.startsWith('https:'))
    })
  }

  test('an address that does not say so is reached over TLS where the card was', () => {
    expect(readTarget('agent.example:50051', { secure: true }).secure).toBe(true)
    expect(readTarget('agent.example', { secure: true }).name).toBe('dns:agent.example:443')
    expect(readTarget('dns:///agent.example:50051', { secure: true }).secure).toBe(true)
    expect(readTarget('http://agent.example:50051', { secure: true }).secure).toBe(false)
    expect(readTarget('grpc://agent.example:50051', { secure: true }).secure).toBe(false)
  })

  const refused: Readonly<Record<string, string>> = {
    '': 'host:port',
    'agent.example:0': 'host:port',
    'agent.example:70000': 'host:port',
    'agent.example:port': 'host:port',
    'a b:80': 'host:port',
    'http://': 'host:port',
    'https://[::1': 'host:port',
    'ftp://agent.example': 'no scheme ftp',
    'xds:///agent.example': 'no scheme xds',
    'https://me:secret@agent.example': 'give credentials as',
    '/grpc': 'host:port',
  }
  for (const [address, says] of Object.entries(refused)) {
    test(`${JSON.stringify(address)} is refused`, () => {
      try {
        readTarget(address)
      } catch (error) {
        expect(A2AError.is(error) && error.code).toBe('Unavailable')
        expect(error).toMatchObject({ metadata: { delivered: 'no' }, retryable: false })
        expect((error as A2AError).message).toContain(says)
        return
      }
      expect.unreachable()
    })
  }
})
