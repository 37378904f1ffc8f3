import { absentTable, blameTable, matrixTable, totals } from './report.ts'
import type { MatrixResult } from './run.ts'
import { stepNames } from './steps.ts'

export { failureLines, matrixTable, totals } from './report.ts'
export { runMatrix } from './run.ts'

/** The page that keeps the last result. */
export function document(result: MatrixResult): string {
  const { passed, failed, blamed, absent } = totals(result)
  return `# Interop

What works between Parlance and the published SDKs, in both directions, as \`npm run interop -- --write\` found it on one
machine. Each cell is a client program that plays ${stepNames.length} steps against a scripted agent: the card, sending (waiting and
not), streaming, a follow-up after a question, reading with history, listing, canceling, subscribing after a cut, every
kind of part with unicode and numbers, and each kind of error. A cell says how many of the steps that exist there
passed. Parlance has its default settings, but for two: clients of 0.3 get the merged card, and the draft for Java may name no
version (\`assumedVersion: '1.0'\`). ${passed} passed, ${failed} failed, ${blamed} fail through the fault of a peer, ${absent} do not exist.

${matrixTable(result)}

## Blamed on peers

These fail because of the peer. Each is checked for looking as it did; one that begins to work fails the run.

${blameTable(result)}

## Not there

${absentTable(result)}

## Running it

\`\`\`sh
npm run interop                          # everything this machine can build; ends with N passed, N failed
npm run interop -- --only python-1,go-2  # some peers
npm run interop -- --write               # and keep the result on this page
\`\`\`

The peers are installed under \`~/.cache/parlance-peers\`, or where \`PARLANCE_PEERS\` says, with pinned versions. A peer whose
toolchain or registry is not there is named and left out. The JavaScript SDKs are also played by \`npm test\`.
`
}
