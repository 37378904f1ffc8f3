import type { Random } from './random.ts'

/** Ids that exist, with some that do not. */
export interface Ids {
  task(): string
  context(): string
  /** An id that nobody used before. */
  fresh(): string
}

/** A valid call, before anything is done to it. */
export type Call =
  | {
      readonly kind: 'http'
      readonly verb: string
      readonly path: string
      readonly headers: Readonly<Record<string, string>>
      readonly body?: unknown
    }
  | {
      readonly kind: 'grpc'
      readonly path: string
      readonly version: Version
      readonly type: string
      readonly message: object
    }

export type Version = '1.0' | '0.3'

/** A kind of valid call. */
export interface Seed {
  /** Such as `1.0 GRPC SendMessage`. */
  readonly label: string
  /** Whether it makes a task, or may. */
  make(random: Random, ids: Ids): Call
}

/** What the agent under test is told to do; see `target.ts`. */
export const orders: readonly string[] = [
  'echo this',
  'message',
  'ask',
  'pieces 5',
  'pieces 20',
  'slow',
  'reject',
  'fail',
  'large',
]
