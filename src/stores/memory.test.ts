import { describe, test } from 'vitest'
import { openMemoryStore } from './memory.ts'
import { storeContract } from './testing.ts'

storeContract('memory', async () => ({ store: openMemoryStore() }), { describe, test })
