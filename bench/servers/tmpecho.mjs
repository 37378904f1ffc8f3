export async function start({ dist, level }) {
  const { agent } = await import(dist+'/server/index.js')
  const { createHttpServer } = await import(dist+'/server/server.js')
  const { listen } = await import(dist+'/server/listen.js')
  const a = agent({name:'B',description:'d',version:'1',async *run(task){ }})
  const text='{"task":{"id":"01a22f0d-8c87-702e-80da-8260113c4859","contextId":"01a22f0d-8c87-702e-80da-8260113c4859","status":{"state":"TASK_STATE_COMPLETED","timestamp":"2026-12-01T00:41:41.000Z"},"artifacts":[{"artifactId":"01a22f0d-8c87-702e-80da-8260113c4859","parts":[{"text":"chunk 000000 words "}]}],"history":[{"messageId":"m-1","role":"ROLE_USER","parts":[{"text":"answer"}],"contextId":"01a22f0d-8c87-702e-80da-8260113c4859","taskId":"01a22f0d-8c87-702e-80da-8260113c4859"}]}}'
  const endpoint={ async unary(){ return { result:{text}, extensions:[] } } }
  const server = createHttpServer(a,{endpoint})
  const full='{"jsonrpc":"2.0","id":1,"result":'+text+'}'
  const headers={'content-type':'application/json','cache-control':'no-store','x-content-type-options':'nosniff'}
  const handle = level==='listen' ? async (r)=>{ await r.body(1e6); return {status:200,headers,body:full} } : server.handle
  const l = await listen({kind:'tcp',host:'127.0.0.1',port:0},{handle, log:{info(){},warn(){},error(){}}})
  return { port: l.port, path: '/invoke' }
}
