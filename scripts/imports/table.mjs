/**
 * Who may import whom. Every edge that is not listed here fails, types included.
 * `runs: 'any'` means browsers, edge runtimes and Node alike: such a file never reaches a module of Node.
 */
export const folders = {
  lib: { imports: [], runs: 'any' },
  protocol: { imports: ['lib'], runs: 'any' },
  cards: { imports: ['lib', 'protocol', 'net'], runs: 'any', packages: ['jose'] },
  auth: { imports: ['lib', 'protocol', 'net'], runs: 'any', packages: ['jose'] },
  bindings: { imports: ['lib', 'protocol'], runs: 'any', packages: ['@bufbuild/protobuf', '@grpc/grpc-js'] },
  client: {
    imports: ['lib', 'protocol', 'cards', 'auth', 'bindings', 'net'],
    runs: 'any',
  },
  engine: { imports: ['lib', 'protocol', 'observe'], runs: 'any' },
  net: { imports: ['lib', 'protocol'], runs: 'node', packages: ['undici', 'ipaddr.js'] },
  observe: { imports: ['lib', 'protocol'], runs: 'node', packages: ['@opentelemetry/api', 'prom-client'] },
  stores: {
    imports: ['lib', 'protocol', 'engine', 'observe'],
    runs: 'node',
    packages: ['@photostructure/sqlite', 'pg'],
  },
  push: { imports: ['lib', 'protocol', 'engine', 'auth', 'net', 'observe'], runs: 'node' },
  server: {
    imports: ['lib', 'protocol', 'cards', 'auth', 'bindings', 'engine', 'stores', 'push', 'observe'],
    runs: 'node',
  },
  trace: { imports: ['lib', 'protocol'], runs: 'any' },
  mock: { imports: ['lib', 'protocol', 'engine'], runs: 'any' },
  mcp: { imports: ['lib', 'protocol', 'engine', 'client'], runs: 'node' },
  agent: {
    imports: ['lib', 'protocol', 'cards', 'auth', 'client', 'engine', 'stores', 'server', 'mcp', 'net', 'observe'],
    runs: 'node',
    packages: ['ai', '@ai-sdk/anthropic', '@ai-sdk/google', '@ai-sdk/openai-compatible', 'jiti', 'yaml', 'zod'],
  },
  registry: { imports: ['lib', 'protocol', 'cards', 'client', 'server'], runs: 'node' },
  conformance: { imports: ['lib', 'protocol', 'cards', 'auth', 'bindings', 'client', 'trace', 'push'], runs: 'node' },
  inspector: {
    imports: ['lib', 'protocol', 'cards', 'client', 'trace', 'conformance', 'registry', 'server'],
    runs: 'node',
  },
  cli: { imports: 'all', runs: 'node', packages: ['commander', 'jiti', 'picocolors', 'pino', 'yaml', 'zod'] },
  'src/index.ts': { imports: ['protocol', 'cards', 'auth', 'client'], runs: 'any' },
}

/** Single files that run elsewhere than the rest of their folder; a name that ends with `/` stands for all files in it. */
export const exceptions = {
  'src/bindings/grpc/': 'node',
  'src/observe/metric-table.ts': 'any',
  'src/observe/span-table.ts': 'any',
  'src/observe/telemetry.ts': 'any',
  'src/stores/memory.ts': 'any',
  'src/server/fetch.ts': 'any',
}

/** Published modules that load no third-party module before they need one. */
export const lightEntries = ['src/index.ts', 'src/server/index.ts', 'src/server/fetch.ts']

/** Folders whose files for Node only may be loaded by a file for any runtime with `await import(…)`, once it knows it runs in Node. */
export const lazyNodeFolders = ['net', 'bindings']

/** A file written by hand stays below this number of lines. */
export const lineLimit = 400
