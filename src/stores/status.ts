/** What a person wants to know of a database. */
export interface DatabaseStatus {
  readonly kind: 'sqlite' | 'postgres'
  /** Version of the tables; 0 when there are none. */
  readonly version: number
  /** The version that this program makes. */
  readonly newest: number
  /** Names of the agents that have stored anything. */
  readonly agents: readonly string[]
  readonly tasks: number
  /** Tasks that some process has at work. */
  readonly held: number
  /** Bytes on disk. */
  readonly bytes: number
  /** Requests to the holders of tasks that are not answered yet. */
  readonly mail: number
  /** The processes that use it, with the seconds since they signed. */
  readonly processes: readonly { readonly number: number; readonly name: string; readonly silent: number }[]
}

/** A database with no tables. */
export const emptyStatus: Omit<DatabaseStatus, 'kind' | 'newest'> = {
  version: 0,
  agents: [],
  tasks: 0,
  held: 0,
  bytes: 0,
  mail: 0,
  processes: [],
}
