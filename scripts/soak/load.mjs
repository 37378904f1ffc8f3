// The load: tasks over kept connections, and streams whose readers leave in the middle.
import { Agent, request } from 'node:http'

const headers = { 'content-type': 'application/json', 'a2a-version': '1.0' }
let messages = 0

function body(text) {
  return JSON.stringify({ message: { messageId: `m${++messages}`, role: 'ROLE_USER', parts: [{ text }] } })
}

/** Sends one message, or a GET without a text, and reads the answer to its end, or leaves after so many characters. */
function call(url, { path, text, agent, leaveAfter = Number.POSITIVE_INFINITY, more }) {
  const method = text === undefined ? 'GET' : 'POST'
  return new Promise((resolve, reject) => {
    const sent = request(`${url}${path}`, { method, headers: { ...headers, ...more }, agent }, (response) => {
      let answer = ''
      response.setEncoding('utf8')
      response.on('data', (piece) => {
        answer += piece
        if (answer.length < leaveAfter) return
        response.destroy()
        resolve({ status: response.statusCode, answer })
      })
      response.on('end', () => resolve({ status: response.statusCode, answer }))
      response.on('error', reject)
    })
    sent.on('error', reject)
    sent.end(text === undefined ? undefined : body(text))
  })
}

async function inTurns(count, width, work) {
  let begun = 0
  const runner = async () => {
    while (begun < count) await work(begun++)
  }
  await Promise.all(Array.from({ length: width }, runner))
}

/** Sends tasks that are answered to their end. */
export async function sendTasks(url, count) {
  const agent = new Agent({ keepAlive: true, maxSockets: 32 })
  await inTurns(count, 32, async (index) => {
    // Some with a key, as an answer that is remembered must not stay in memory either.
    const more = index % 10 === 0 ? { 'idempotency-key': `k${messages}` } : {}
    const { status, answer } = await call(url, { path: '/message:send', text: `quick ${1 + (index % 4)}`, agent, more })
    if (status !== 200 || !answer.includes('TASK_STATE_COMPLETED'))
      throw new Error(`a task was answered ${status}: ${answer}`)
  })
  agent.destroy()
}

/** Opens streams and leaves each of them in the middle, some at the very first bytes; every connection is closed. */
export async function leaveStreams(url, count) {
  await inTurns(count, 24, async (index) => {
    const leaveAfter = 1 + (index % 5) * 300
    const { status, answer } = await call(url, { path: '/message:stream', text: 'drip 12', leaveAfter, agent: false })
    if (status !== 200) throw new Error(`a stream was answered ${status}: ${answer}`)
    const [, id] = /"task":\{"id":"([^"]+)"/.exec(answer) ?? []
    if (id === undefined || index % 2 === 0) return
    // Half of them come back to the task, also when it has ended, and leave again.
    const back = { path: `/tasks/${id}:subscribe`, leaveAfter, agent: false, more: { 'last-event-id': '3' } }
    const again = await call(url, back)
    if (again.status !== 200) throw new Error(`a subscription was answered ${again.status}: ${again.answer}`)
  })
}
