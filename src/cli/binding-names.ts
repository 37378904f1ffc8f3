/** Bindings as the command line names them, and as cards do. */
export const bindingNames: Readonly<Record<string, string>> = { jsonrpc: 'JSONRPC', http: 'HTTP+JSON', grpc: 'GRPC' }
