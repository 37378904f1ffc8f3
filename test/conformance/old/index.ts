import type { Check } from '../scene.ts'
import { protocol } from './protocol.ts'
import { rpc } from './rpc.ts'

/** What the tests of TCK 0.3 look at, named after the folders they are in. */
export const oldChecks: readonly Check[] = [...rpc, ...protocol]
