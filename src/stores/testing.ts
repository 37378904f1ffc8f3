import type { OpenedStore, StoreCase } from './testing-entries.ts'
import { holdCases } from './testing-hold.ts'
import { listCases } from './testing-list.ts'
import { logCases } from './testing-log.ts'

export type { OpenedStore, StoreCase }

/** Where the suite runs: `describe` and `test` of vitest, `node:test` or the like. */
export interface StoreContractOptions {
  readonly describe: (name: string, body: () => void) => unknown
  readonly test: (name: string, body: () => Promise<void>) => unknown
}

/** All sentences of the contract, to be run against a store opened afresh for each. */
export const storeCases: readonly StoreCase[] = [...logCases, ...holdCases, ...listCases]

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
