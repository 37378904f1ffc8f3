export { fromCard03 } from './card-read.ts'
export type { CardForm } from './card-security.ts'
export { mergeCard03, toCard03 } from './card-write.ts'
