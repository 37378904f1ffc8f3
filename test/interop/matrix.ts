import { type Blame, blames } from './blames/index.ts'
import type { Player } from './play.ts'
import { type Binding, judge, type StepLine, stepNames, type Version } from './steps.ts'

/** One pairing: who serves, who calls, how. One of the two is Parlance. */
export interface Cell {
  /** Where Parlance stands. */
  readonly parlance: 'server' | 'client'
  readonly peer: string
  readonly version: Version
  readonly binding: Binding
}

/** What came of one step of a cell. `stale` is a blame for something that works. */
export interface Outcome {
  readonly cell: Cell
  readonly step: string
  readonly kind: 'passed' | 'failed' | 'blamed' | 'absent' | 'stale'
  /** What went wrong, or why the step does not exist. */
  readonly problem?: string
  readonly blame?: Blame
}

/** Plays one cell against an agent that is being served, and judges each step. A step that never came is a failure. */
export async function playCell(
  cell: Cell,
  { card, play }: { readonly card: string; readonly play: Player },
): Promise<Outcome[]> {
  const lines: StepLine[] = []
  let end: string | undefined
  try {
    await play({ card, binding: cell.binding, version: cell.version }, (line) => lines.push(line))
  } catch (error) {
    end = error instanceof Error ? error.message : String(error)
  }
  const outcomes = lines.map((line) => outcomeOf(cell, line))
  if (end !== undefined) outcomes.push(decide(cell, 'end', end))
  for (const step of stepNames) {
    if (lines.some((line) => line.step === step)) continue
    // A client that leaves a step out has no call for it; one that stopped early has failed.
    if (end === undefined) outcomes.push({ cell, step, kind: 'absent', problem: 'the SDK has no such call' })
  }
  return outcomes
}

function outcomeOf(cell: Cell, line: StepLine): Outcome {
  if (line.skipped !== undefined) return { cell, step: line.step, kind: 'absent', problem: line.skipped }
  return decide(cell, line.step, judge(line, cell.version))
}

function decide(cell: Cell, step: string, problem: string | undefined): Outcome {
  const blame = blames.find((known) => concerns(known, cell, step))
  if (problem === undefined)
    return { cell, step, kind: blame === undefined ? 'passed' : 'stale', ...(blame && { blame }) }
  if (blame?.evidence.test(problem)) return { cell, step, kind: 'blamed', problem, blame }
  return { cell, step, kind: 'failed', problem }
}

function concerns(blame: Blame, cell: Cell, step: string): boolean {
  return (
    blame.peer === cell.peer &&
    blame.as !== cell.parlance &&
    blame.steps.includes(step) &&
    (blame.version ?? cell.version) === cell.version &&
    (blame.bindings ?? [cell.binding]).includes(cell.binding)
  )
}
