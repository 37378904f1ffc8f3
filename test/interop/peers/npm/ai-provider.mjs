// The AI SDK with an agent in place of a model, over JSON-RPC 0.3.
import { a2a } from 'a2a-ai-provider'
import { generateText, streamText } from 'ai'

const [card] = process.argv.slice(2)

async function step(name, work) {
  try {
    process.stdout.write(`${JSON.stringify({ step: name, saw: await work() })}\n`)
  } catch (error) {
    process.stdout.write(
      `${JSON.stringify({ step: name, error: { name: error.name, text: String(error.message) } })}\n`,
    )
  }
}

const model = a2a(`${card}/.well-known/agent-card.json`)
await step('generate', async () => ({ text: (await generateText({ model, prompt: 'message hi' })).text }))
await step('generate from a task', async () => ({
  text: (await generateText({ model, prompt: 'echo hällo 👋' })).text,
}))
await step('stream', async () => {
  let text = ''
  for await (const piece of streamText({ model, prompt: 'chunks' }).textStream) text += piece
  return { text }
})
process.exit(0)
