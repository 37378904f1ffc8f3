import type { Binding, Version } from '../steps.ts'

/** A step that fails through the fault of the peer. */
export interface Blame {
  readonly peer: string
  /** What the peer is when it does this. */
  readonly as: 'server' | 'client'
  /** Default: both. */
  readonly version?: Version
  /** Default: all. */
  readonly bindings?: readonly Binding[]
  readonly steps: readonly string[]
  /** What the failure must look like; another failure of the same step is not excused. */
  readonly evidence: RegExp
  readonly reason: string
}
