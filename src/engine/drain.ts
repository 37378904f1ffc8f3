import type { Core } from './core.ts'

/** Lets runs finish for a while, then ends the rest: those that can go on in another process are left to it. */
export async function drain(core: Core, graceMs: number): Promise<void> {
  for (const live of core.lives.values()) {
    if (live.run?.startedAt === undefined && live.run?.decided) live.run.shutdown()
  }
  const all = (): Promise<unknown> => Promise.all(core.lives.values().map((live) => live.ended.wait()))
  if (graceMs > 0 && core.lives.size > 0) {
    let timer: ReturnType<typeof setTimeout> | undefined
    await Promise.race([
      all(),
      new Promise((resolve) => {
        timer = setTimeout(resolve, graceMs)
      }),
    ])
    clearTimeout(timer)
  }
  for (const live of core.lives.values()) live.run?.shutdown()
  await Promise.all(
    core.lives.values().map((live) => (live.releasing ? live.ended.wait() : live.committed().catch(() => {}))),
  )
}
