import { type Cluster, type ClusterCase, clusterOf, type SharedDatabase } from './testing-cluster.ts'
import type { OpenedStore, StoreCase } from './testing-entries.ts'
import { followCases, hintCases } from './testing-hints.ts'
import { holdCases } from './testing-hold.ts'
import { keyCases } from './testing-keys.ts'
import { listCases } from './testing-list.ts'
import { logCases } from './testing-log.ts'
import { mailCases } from './testing-mail.ts'
import { processCases } from './testing-processes.ts'
import { sharedUpkeepCases, upkeepCases } from './testing-upkeep.ts'

export type { Cluster, ClusterCase, OpenedStore, SharedDatabase, StoreCase }

/** Where the suite runs: `describe` and `test` of vitest, `node:test` or the like. */
export interface StoreContractOptions {
  readonly describe: (name: string, body: () => void) => unknown
  readonly test: (name: string, body: () => Promise<void>) => unknown
}

/** All sentences of the contract, to be run against a store opened afresh for each. */
export const storeCases: readonly StoreCase[] = [...logCases, ...holdCases, ...listCases, ...upkeepCases]

/** What also holds where several processes use one database; the last ones only where these can call out to each other. */
export const clusterCases: readonly ClusterCase[] = [
  ...processCases,
  ...mailCases,
  ...keyCases,
  ...followCases,
  ...sharedUpkeepCases,
  ...hintCases,
]

/** Declares the suite that every `Store` passes. `open` gives an empty store each time it is called. */
export function storeContract(
  name: string,
  open: () => Promise<OpenedStore & { readonly dispose?: () => Promise<void> }>,
  { describe, test }: StoreContractOptions,
): void {
  describe(`${name} keeps the contract of stores`, () => {
    for (const { name: sentence, run } of storeCases) {
      test(sentence, async () => {
        const opened = await open()
        let last = opened.store
        const { reopen } = opened
        try {
          await run({
            store: opened.store,
            ...(reopen !== undefined && {
              reopen: async () => {
                last = await reopen()
                return last
              },
            }),
          })
        } finally {
          await opened.store.close()
          await last.close()
          await opened.dispose?.()
        }
      })
    }
  })
}

/** Declares the suite that every `Store` passes which several processes share. `open` gives an empty database each time it is called. */
export function clusterContract(
  name: string,
  open: () => SharedDatabase & { dispose?(): Promise<void> },
  { describe, test }: StoreContractOptions,
): void {
  describe(`${name} keeps the contract of stores among several processes`, () => {
    for (const { name: sentence, run } of clusterCases) {
      test(sentence, async () => {
        const database = open()
        const cluster = clusterOf(database)
        try {
          await run(cluster)
        } finally {
          await cluster.close()
          await database.dispose?.()
        }
      })
    }
  })
}
