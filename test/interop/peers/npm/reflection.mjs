// A client that knows nothing but what reflection tells it: lists the services, reads their messages, and calls.
import grpc from '@grpc/grpc-js'
import { GrpcReflection } from 'grpc-js-reflection-client'

const [target] = process.argv.slice(2)
const insecure = grpc.credentials.createInsecure()
const reflection = new GrpcReflection(target, insecure)

async function step(name, work) {
  try {
    process.stdout.write(`${JSON.stringify({ step: name, saw: await work() })}\n`)
  } catch (error) {
    const told = { name: error.name, code: error.code, text: String(error.message) }
    process.stdout.write(`${JSON.stringify({ step: name, error: told })}\n`)
  }
}

const service = 'lf.a2a.v1.A2AService'
const at = (root, path) => path.split('.').reduce((inner, name) => inner[name], root)
let client

await step('services', async () => ({ services: await reflection.listServices() }))
await step('methods', async () => ({ methods: (await reflection.listMethods(service)).map(({ name }) => name) }))
await step('call', async () => {
  const descriptor = await reflection.getDescriptorBySymbol(service)
  const loaded = descriptor.getPackageObject({ keepCase: false, longs: String, enums: String, oneofs: true })
  client = new (at(loaded, service))(target, insecure)
  const request = { message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'echo hällo 👋' }] } }
  const metadata = new grpc.Metadata()
  metadata.set('a2a-version', '1.0')
  const { task } = await new Promise((resolve, refuse) =>
    client.sendMessage(request, metadata, (error, answer) => (error ? refuse(error) : resolve(answer))),
  )
  return { state: task.status.state, text: task.artifacts[0].parts[0].text }
})
client?.close()
process.exit(0)
