import type { Check } from '../scene.ts'
import { core } from './core.ts'
import { form } from './form.ts'
import { push } from './push.ts'
import { security } from './security.ts'
import { streaming } from './streaming.ts'

/** The requirements of ACTS by its own ids; what they look at is read off their names and the specification. */
export const actsChecks: readonly Check[] = [...form, ...core, ...streaming, ...security, ...push]
