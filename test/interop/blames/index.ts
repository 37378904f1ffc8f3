import type { Blame } from './blame.ts'
import { goBlames } from './go.ts'
import { javaBlames } from './java.ts'
import { javascriptBlames } from './javascript.ts'
import { pythonBlames } from './python.ts'

export type { Blame } from './blame.ts'

/** All that is known to fail through the fault of a peer. An entry for something that works fails the matrix. */
export const blames: readonly Blame[] = [...goBlames, ...javaBlames, ...javascriptBlames, ...pythonBlames]
