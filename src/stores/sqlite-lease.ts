import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'
import type { Connection } from './sqlite-driver.ts'

/** How one process is told from another that has or had the same number. */
export interface ProcessMark {
  readonly pid: number
  readonly host: string
  /** The space in which process numbers are unique; empty where the platform does not tell. */
  readonly namespace: string
  /** Differs between two processes that had the same number one after the other; empty where the platform does not tell. */
  readonly start: string
}

/** When a silent process counts as dead; milliseconds. */
export interface LeaseTimes {
  /** A living process signs so often. */
  readonly heartbeat: number
  /** A process that has not signed for so long is dead. */
  readonly expires: number
}

export const leaseTimes: LeaseTimes = { heartbeat: 5_000, expires: 15_000 }

/** The mark of this process. */
export function thisProcess(): ProcessMark {
  return {
    pid: process.pid,
    host: hostname(),
    namespace: attempt(() => readlinkSync('/proc/self/ns/pid')) ?? '',
    start: startOf(process.pid) ?? '',
  }
}

/** When a process began, in a way that no restart of the machine repeats; undefined when there is no such process. */
function startOf(pid: number): string | undefined {
  const stat = attempt(() => readFileSync(`/proc/${pid}/stat`, 'latin1'))
  if (stat === undefined) return undefined
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [state] = fields
  if (state === 'Z' || state === 'X') return undefined
  return `${attempt(() => readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim()) ?? ''}:${fields[19]}`
}

function attempt<T>(body: () => T): T | undefined {
  try {
    return body()
  } catch {
    return undefined
  }
}

/** Whether the process of a row lives, seen from `self`: by looking at it where that is possible, else by its heartbeat. */
export function isAlive(
  row: ProcessMark & { readonly heartbeat: number },
  self: ProcessMark,
  { expires, now }: { readonly expires: number; readonly now: number },
): boolean {
  if (now - row.heartbeat > expires) return false
  if (row.host !== self.host || row.namespace !== self.namespace) return true
  if (self.start !== '') return startOf(row.pid) === row.start
  try {
    process.kill(row.pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

type ProcessRow = ProcessMark & { readonly id: number; readonly heartbeat: number }

/** Numbers of the processes in the file that live. */
export function livingProcesses(connection: Connection, options: { self: ProcessMark; expires: number }): number[] {
  const rows = connection.statement('select * from process').all() as unknown as ProcessRow[]
  const now = Date.now()
  return rows.filter((row) => isAlive(row, options.self, { expires: options.expires, now })).map(({ id }) => id)
}

/** Whether the process with a number lives; false when it has left the file. */
export function lives(connection: Connection, id: number, options: { self: ProcessMark; expires: number }): boolean {
  const row = connection.statement('select * from process where id = ?').get(id) as ProcessRow | undefined
  return row !== undefined && isAlive(row, options.self, { expires: options.expires, now: Date.now() })
}

/** Enters this process, and takes out those that died. Tells the number under which it holds tasks; no number is used twice. */
export function enter(connection: Connection, options: { self: ProcessMark; expires: number }): number {
  return connection.transaction('immediate', () => {
    const living = JSON.stringify(livingProcesses(connection, options))
    connection.statement('delete from process where id not in (select value from json_each(?))').run(living)
    const { pid, host, namespace, start } = options.self
    const row = connection
      .statement('insert into process (pid, host, namespace, start, heartbeat) values (?, ?, ?, ?, ?) returning id')
      .get(pid, host, namespace, start, Date.now())
    return row?.id as number
  })
}

/** Signs that this process lives; false when another took it for dead. */
export function sign(connection: Connection, id: number): boolean {
  const { changes } = connection.statement('update process set heartbeat = ? where id = ?').run(Date.now(), id)
  return Number(changes) === 1
}

/** Takes this process out: what it still holds is free for others. */
export function leave(connection: Connection, id: number): void {
  connection.statement('delete from process where id = ?').run(id)
}
