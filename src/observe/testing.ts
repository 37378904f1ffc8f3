import type { Tracer } from '../lib/trace.ts'
import { createTracer, type EndedSpan, type TracerOptions } from './tracer.ts'

/** A tracer that keeps its spans. */
export interface KeptSpans {
  readonly tracer: Tracer
  readonly spans: readonly EndedSpan[]
  /** The only span of a name. */
  named(name: string): EndedSpan
}

/** Makes a tracer for tests. */
export function keepSpans(options: Omit<TracerOptions, 'export'> = {}): KeptSpans {
  const spans: EndedSpan[] = []
  const tracer = createTracer({ ...options, export: (span) => void spans.push(span) })
  return {
    tracer,
    spans,
    named(name) {
      const found = spans.filter((span) => span.name === name)
      if (found.length !== 1)
        throw new Error(`${found.length} spans are named ${name}: ${spans.map((span) => span.name)}`)
      return found[0] as EndedSpan
    },
  }
}

/** Reads the text format of Prometheus: each line's value by its name and labels. Throws where a line is not of that format. */
export function readMetrics(text: string): ReadonlyMap<string, number> {
  const values = new Map<string, number>()
  const typed = new Set<string>()
  for (const line of text.split('\n')) {
    const type = /^# TYPE (\w+) (counter|gauge|histogram)$/.exec(line)
    if (type?.[1] !== undefined) typed.add(type[1])
    if (line === '' || line.startsWith('# ')) continue
    const match = /^(\w+)(\{(?:\w+="(?:[^"\\]|\\.)*",?)*\})? (\S+)$/.exec(line)
    const [, name = '', labels = '', value] = match ?? []
    if (match === null || Number.isNaN(Number(value))) throw new Error(`not a line of metrics: ${line}`)
    if (!typed.has(name) && !typed.has(name.replace(/_(?:bucket|sum|count)$/, '')))
      throw new Error(`no type for ${name}`)
    if (values.has(name + labels)) throw new Error(`twice: ${name}${labels}`)
    values.set(name + labels, Number(value))
  }
  return values
}
