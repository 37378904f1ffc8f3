import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { create, createFileRegistry, fromBinary, toBinary } from '@bufbuild/protobuf'
import { FileDescriptorSetSchema, timestampFromMs } from '@bufbuild/protobuf/wkt'
import { Server, ServerCredentials } from '@grpc/grpc-js'
import { fileDescriptor } from '../../scripts/proto/descriptor.mjs'
import { importedFiles } from '../../scripts/proto/descriptor-imports.mjs'
import { chunk, chunksAsked } from '../agent-work.mjs'

// The floor with the usual libraries: reads a request, checks what must be there, builds the same reply, writes it. No
// store, no engine, no protocol.

const proto = readFileSync(join(import.meta.dirname, '..', '..', 'spec', 'a2a.proto'), 'utf8')
const registry = createFileRegistry(
  create(FileDescriptorSetSchema, { file: inOrder([...importedFiles, fileDescriptor(proto, 'a2a.proto')]) }),
)

/** Each file behind those that it imports. */
function inOrder(files) {
  const placed = []
  const place = (file) => {
    if (placed.includes(file)) return
    for (const name of file.dependency) place(files.find((other) => other.name === name))
    placed.push(file)
  }
  for (const file of files) place(file)
  return placed
}

const type = (name) => registry.getMessage(`lf.a2a.v1.${name}`)
const states = { submitted: 1, working: 2, completed: 3 }
let tasks = 0

function serializer(schema) {
  return (message) => Buffer.from(toBinary(schema, message))
}

function definition(method, { responseStream = false } = {}) {
  const { input, output } = registry.getService('lf.a2a.v1.A2AService').methods.find(({ name }) => name === method)
  return {
    path: `/lf.a2a.v1.A2AService/${method}`,
    requestStream: false,
    responseStream,
    requestSerialize: serializer(input),
    requestDeserialize: (bytes) => fromBinary(input, bytes),
    responseSerialize: serializer(output),
    responseDeserialize: (bytes) => fromBinary(output, bytes),
  }
}

function isValid({ message }) {
  if (!message?.messageId || message.role !== 1 || message.parts.length === 0) return false
  return message.parts.every(({ content }) => content.case === 'text')
}

function status(state) {
  return create(type('TaskStatus'), { state, timestamp: timestampFromMs(Date.now()) })
}

function taskOf(message, state) {
  tasks += 1
  const [id, contextId] = [randomUUID(), randomUUID()]
  const history = [{ ...message, contextId, taskId: id }]
  return create(type('Task'), { id, contextId, status: status(state), history })
}

function artifact(artifactId, index) {
  const part = create(type('Part'), { content: { case: 'text', value: chunk(index) } })
  return create(type('Artifact'), { artifactId, parts: [part] })
}

const invalid = { code: 3, details: 'Invalid' }

const handlers = {
  SendMessage({ request }, callback) {
    if (!isValid(request)) return callback(invalid)
    const task = taskOf(request.message, states.completed)
    task.artifacts.push(artifact(randomUUID(), 0))
    callback(null, create(type('SendMessageResponse'), { payload: { case: 'task', value: task } }))
  },
  SendStreamingMessage(call) {
    if (!isValid(call.request)) return call.emit('error', invalid)
    const task = taskOf(call.request.message, states.submitted)
    const { id: taskId, contextId } = task
    const send = (field, value) => call.write(create(type('StreamResponse'), { payload: { case: field, value } }))
    const update = (state) =>
      send('statusUpdate', create(type('TaskStatusUpdateEvent'), { taskId, contextId, status: status(state) }))
    send('task', task)
    update(states.working)
    const artifactId = randomUUID()
    const count = chunksAsked(call.request.message.parts[0].content.value)
    for (let index = 0; index < count; index++) {
      const event = { taskId, contextId, artifact: artifact(artifactId, index), append: index > 0 }
      send('artifactUpdate', create(type('TaskArtifactUpdateEvent'), { ...event, lastChunk: index === count - 1 }))
    }
    update(states.completed)
    call.end()
  },
  ListTasks(_call, callback) {
    callback(null, create(type('ListTasksResponse'), { pageSize: 1, totalSize: tasks }))
  },
}

/** Serves replies of the same size with `@grpc/grpc-js` and protobuf-es. */
export async function start() {
  const server = new Server()
  server.addService(
    {
      SendMessage: definition('SendMessage'),
      SendStreamingMessage: definition('SendStreamingMessage', { responseStream: true }),
      ListTasks: definition('ListTasks'),
    },
    handlers,
  )
  const port = await new Promise((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    )
  })
  return { port, path: '/lf.a2a.v1.A2AService', close: () => server.forceShutdown() }
}
