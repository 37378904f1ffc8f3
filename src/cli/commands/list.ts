import type { ListTasksRequest, ListTasksResponse, Task, TaskState } from '../../protocol/generated/v1/types.ts'
import { parseCount, parseState, parseTime, shortState } from '../arguments.ts'
import { usageError } from '../command-error.ts'
import { type AgentFlags, type Connection, connectTo } from '../connection.ts'
import { exitCodes } from '../exit-codes.ts'
import type { Output } from '../output.ts'
import { type Column, tabbedLines, tableLines } from '../table.ts'
import { stateText } from '../task-view.ts'

/** The flags of `parlance list`. */
export interface ListFlags extends AgentFlags {
  readonly context?: string
  readonly state?: string
  readonly since?: string
  readonly pageSize?: string
  readonly pageToken?: string
  readonly history?: string
  readonly artifacts?: boolean
  readonly all?: boolean
}

/** `parlance list`: shows the tasks that the caller may see, newest first. */
export async function list(url: string, flags: ListFlags, output: Output): Promise<number> {
  const filter = listFilter(flags)
  const connection = await connectTo(url, flags, output)
  const page = flags.all === true ? await readAll(connection, filter) : await connection.agent.list(filter)
  if (output.json) await output.document(page)
  else await show(page, output)
  if (!output.json && page.nextPageToken !== '') {
    output.note(
      `There are more. Go on with: ${connection.command('list', '--page-token', page.nextPageToken)}, or use --all`,
    )
  }
  connection.finish()
  return exitCodes.ok
}

/** The request that the flags stand for. */
export function listFilter(flags: ListFlags): ListTasksRequest {
  const { context, state, since, pageSize, pageToken, history, artifacts, all } = flags
  if (all === true && pageToken !== undefined) throw usageError('--all reads every page; leave --page-token out')
  const size = pageSize === undefined ? undefined : parseCount(pageSize, '--page-size', 1)
  if (size !== undefined && size > 100) throw usageError('--page-size: at most 100 tasks are on one page')
  return {
    ...(context !== undefined && { contextId: context }),
    ...(state !== undefined && { status: parseState(state, '--state') }),
    ...(since !== undefined && { statusTimestampAfter: parseTime(since, '--since') }),
    ...(size !== undefined && { pageSize: size }),
    ...(all === true && size === undefined && { pageSize: 100 }),
    ...(pageToken !== undefined && { pageToken }),
    ...(history !== undefined && { historyLength: parseCount(history, '--history') }),
    ...(artifacts === true && { includeArtifacts: true }),
  }
}

async function readAll({ agent }: Connection, filter: ListTasksRequest): Promise<ListTasksResponse> {
  const tasks: Task[] = []
  for await (const task of agent.listAll(filter)) tasks.push(task)
  return { tasks, nextPageToken: '', pageSize: filter.pageSize ?? 100, totalSize: tasks.length }
}

async function show({ tasks }: ListTasksResponse, output: Output): Promise<void> {
  if (!output.outIsTerminal) {
    const rows = tasks.map((task) => {
      const { id, status, contextId = '' } = task
      return [id, shortState(status.state), status.timestamp ?? '', contextId, statusText(task)]
    })
    return await output.lines(tabbedLines(rows))
  }
  if (tasks.length === 0) return output.note('No tasks.')
  const stateOf = new Map(tasks.map(({ status }) => [shortState(status.state), status.state]))
  const shown = columns(output, stateOf).filter(({ least = 0 }) => output.columns >= least)
  const rows = tasks.map((task) => shown.map(({ cell }) => cell(task)))
  await output.lines(tableLines(shown, rows, { columns: output.columns, head: output.out.bold }))
}

interface TaskColumn extends Column {
  /** Columns of a terminal that has room for it. */
  readonly least?: number
  readonly cell: (task: Task) => string
}

function columns(output: Output, stateOf: ReadonlyMap<string, TaskState>): readonly TaskColumn[] {
  const { out } = output
  return [
    { title: 'TASK', cell: ({ id }) => id },
    {
      title: 'STATE',
      cell: ({ status }) => shortState(status.state),
      style: (text) => stateText(stateOf.get(text) ?? 'TASK_STATE_UNSPECIFIED', out),
    },
    { title: 'AGE', cell: ({ status }) => ageText(status.timestamp), style: out.dim },
    { title: 'CONTEXT', least: 120, cell: ({ contextId }) => contextId ?? '', style: out.dim },
    { title: 'STATUS MESSAGE', cell: statusText },
  ]
}

function statusText({ status }: Task): string {
  return (status.message?.parts ?? []).map((part) => part.text ?? '').join(' ')
}

/** How long ago a time was, in its largest unit. */
export function ageText(timestamp: string | undefined, now: number = Date.now()): string {
  const seconds = Math.max(0, (now - Date.parse(timestamp ?? '')) / 1000)
  if (Number.isNaN(seconds)) return ''
  if (seconds < 60) return `${Math.floor(seconds)}s`
  if (seconds < 3_600) return `${Math.floor(seconds / 60)}m`
  return seconds < 172_800 ? `${Math.floor(seconds / 3_600)}h` : `${Math.floor(seconds / 86_400)}d`
}
