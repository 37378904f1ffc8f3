export { type Loss, losses } from './losses.ts'
export { pushBody03 } from './push-body.ts'
export { grpc03, jsonRpc03, rest03 } from './server.ts'
