// The process of one server: started by the runner, tells its port, and what it has used so far when asked.
const [kind, settings] = process.argv.slice(2)
const { start } = await import(`./servers/${kind}.mjs`)
const server = await start(JSON.parse(settings))

process.on('message', () => {
  const { user, system } = process.cpuUsage()
  globalThis.gc?.()
  const { rss, heapUsed, external } = process.memoryUsage()
  process.send({ cpu: user + system, memory: rss, heap: heapUsed + external })
})
process.on('disconnect', () => process.exit(0))
process.send({ port: server.port, path: server.path })
