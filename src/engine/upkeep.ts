import { oneAtATime } from '../lib/one-at-a-time.ts'
import { backgroundInterval } from '../lib/turn.ts'
import { A2AError } from '../protocol/errors.ts'
import type { Core } from './core.ts'
import { recover } from './recovery.ts'
import { purgeOld } from './retention.ts'

/** How often runs are measured against their limits, milliseconds. */
const second = 1_000

/** What an engine does by itself, besides its runs. */
export interface Upkeep {
  /** Takes over what dead processes left, then does so again whenever there may be more. */
  start(): Promise<void>
  /** Ends what begins work. Mail is still taken in, as runs go on. */
  stop(): void
  /** Ends everything. */
  end(): void
}

/** Looks after an engine: runs beyond their limits, mail, tasks without a living holder, what may be dropped. */
export function createUpkeep(core: Core): Upkeep {
  const { limits, store, log } = core
  let timers: { stop(): void }[] = []
  let mailTimer: { stop(): void } | undefined
  let stopListening: (() => void) | undefined

  function checkRuns(): void {
    const now = core.now()
    for (const live of core.lives.values()) {
      live.jobs.listen()
      const { run } = live
      if (run?.startedAt === undefined) continue
      if (now - run.startedAt > limits.runTime)
        run.limit(`The task took longer than ${limits.runTime / 1000} s, so it was stopped.`)
      else if (now - run.lastEventAt > limits.idleTime) {
        run.limit(`The agent gave no sign for ${limits.idleTime / 1000} s, so the task was stopped.`)
      }
    }
  }

  const takeOver = oneAtATime(async () => {
    if (core.stopping) return
    const count = await recover(core)
    if (count > 0) log.warn('Tasks of a process that stopped were taken over', { tasks: count })
  })

  const tidy = oneAtATime(async () => {
    try {
      await takeOver()
      if (!core.stopping) await purgeOld(core)
    } catch (error) {
      log.warn('The store could not be tidied', { error: A2AError.from(error).message })
    }
  })

  function lose(): void {
    if (core.lives.size > 0)
      log.error('This process was silent for too long: its tasks are left to others', { tasks: core.lives.size })
    core.telemetry.meter?.add('parlance_tasks_lost_total', core.lives.size)
    for (const live of core.lives.values()) live.lose()
    void tidy()
  }

  return {
    async start() {
      stopListening = store.listen({ mail: core.collectMail, abandoned: () => void tidy(), lost: lose })
      mailTimer = backgroundInterval(core.collectMail, limits.pollEvery)
      await takeOver()
      timers = [backgroundInterval(checkRuns, second), backgroundInterval(() => void tidy(), limits.sweepEvery)]
    },
    stop() {
      for (const timer of timers) timer.stop()
      timers = []
    },
    end() {
      mailTimer?.stop()
      stopListening?.()
    },
  }
}
