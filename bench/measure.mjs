import { median } from './processes.mjs'

/**
 * Runs the same load against each server in turn, for some rounds after a first one that does not count. Tells, for each
 * server, the rows of its rounds: requests a second, CPU microseconds a request, percentiles.
 */
export async function measureInTurn(
  servers,
  load,
  { rounds, ms, method, message, events, grpc = false, connections = 32 },
) {
  const rows = new Map()
  const names = [...servers.keys()]
  for (let round = 0; round <= rounds; round++) {
    // The order turns with the rounds, so that no server always follows the same one.
    for (let place = 0; place < names.length; place++) {
      const name = names[(place + round) % names.length]
      const server = servers.get(name)
      const before = await server.usage()
      const { port, path } = server
      const result = await load.ask({ port, path, method, message, events, grpc, connections, ms })
      const after = await server.usage()
      server.sent = (server.sent ?? 0) + result.count
      if (round === 0) continue
      const row = {
        rate: (result.count * 1000) / result.elapsed,
        cpu: (after.cpu - before.cpu) / result.count,
        p50: result.p50,
        p99: result.p99,
      }
      rows.set(name, [...(rows.get(name) ?? []), row])
    }
  }
  for (const [name, server] of servers) {
    const total = await load.ask({ port: server.port, path: server.path, method: 'ListTasks', grpc })
    if (total !== server.sent) throw new Error(`${name} has ${total} tasks after ${server.sent} sends`)
  }
  return rows
}

/** The median over rounds of one server's value by another's in the same round. */
export function ratio(rows, [upper, lower], value) {
  return median(rows.get(upper).map((row, round) => row[value] / rows.get(lower)[round][value]))
}

/** The median of a value, for people to read. */
export function typical(rows, name, value) {
  return median(rows.get(name).map((row) => row[value]))
}
