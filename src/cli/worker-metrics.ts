import type { MetricData } from '../observe/metrics.ts'
import type { MetricsPeers } from '../server/watch-agent.ts'

/** What workers send each other when one of them is asked for metrics, by way of the process that started them. */
interface MetricsMessage {
  readonly parlanceMetrics: string
  /** Absent in a question. */
  readonly data?: readonly MetricData[]
}

/** The longest time that others may take to tell, milliseconds. */
const patience = 500

/** Metrics of the other workers, of which there are `others`. */
export function createWorkerMetrics(others: number): MetricsPeers {
  let asked = 0

  function send(message: MetricsMessage): void {
    if (process.connected) process.send?.(message)
  }

  function onMessage(callback: (message: MetricsMessage) => void): () => void {
    const listen = (message: unknown): void => {
      if (typeof (message as Partial<MetricsMessage> | null)?.parlanceMetrics === 'string')
        callback(message as MetricsMessage)
    }
    process.on('message', listen)
    return () => process.off('message', listen)
  }

  return {
    answer: (data) =>
      onMessage(({ parlanceMetrics, data: told }) => {
        if (told === undefined) send({ parlanceMetrics, data: data() })
      }),

    ask: () => {
      asked += 1
      const question = `${process.pid}.${asked}`
      const answers: (readonly MetricData[])[] = []
      return new Promise((resolve) => {
        const stop = onMessage(({ parlanceMetrics, data }) => {
          if (parlanceMetrics !== question || data === undefined) return
          answers.push(data)
          if (answers.length >= others) done()
        })
        const timer = setTimeout(done, patience)
        function done(): void {
          clearTimeout(timer)
          stop()
          resolve(answers)
        }
        send({ parlanceMetrics: question })
      })
    },
  }
}
