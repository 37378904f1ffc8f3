import { median } from './processes.mjs'

async function streamOnce(server, load, chunks) {
  const { elapsed, first } = await load.ask({
    port: server.port,
    path: server.path,
    method: 'SendStreamingMessage',
    message: `stream ${chunks}`,
    events: chunks + 3,
    connections: 1,
    requests: 1,
  })
  return { ms: elapsed, first }
}

function middle(rows) {
  return { ms: median(rows.map(({ ms }) => ms)), first: median(rows.map(({ first }) => first)) }
}

/** Times one long streamed task: 4,000 and 40,000 chunks in turn with ours, 4,000 once with the SDK where it is given. */
export async function measureChunks(servers, load, { rounds }) {
  const ours = servers.get('sqlite')
  await streamOnce(ours, load, 4_000)
  const few = []
  const many = []
  for (let round = 0; round < rounds; round++) {
    few.push(await streamOnce(ours, load, 4_000))
    many.push(await streamOnce(ours, load, 40_000))
  }
  const sqlite = {
    few: { ...middle(few), share: median(few.map(({ ms, first }) => first / ms)) },
    many: middle(many),
    growth: median(many.map(({ ms }, round) => ms / 10 / few[round].ms)),
  }
  const rival = servers.get('sdk')
  return { sqlite, ...(rival && { sdk: await streamOnce(rival, load, 4_000) }) }
}
