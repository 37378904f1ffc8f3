import type { Check } from '../scene.ts'
import { auth } from './auth.ts'
import { bindings } from './bindings.ts'
import { card } from './card.ts'
import { core } from './core.ts'
import { data } from './data.ts'
import { equal } from './equal.ts'
import { push } from './push.ts'
import { streaming } from './streaming.ts'
import { turns } from './turns.ts'

/** The requirements of TCK 1.0 by its own ids. */
export const tckChecks: readonly Check[] = [
  ...card,
  ...core,
  ...turns,
  ...data,
  ...streaming,
  ...push,
  ...bindings,
  ...equal,
  ...auth,
]
