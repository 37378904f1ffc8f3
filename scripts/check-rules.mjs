// Compares the protocol rules that we claim to keep (test/claimed-rules.json) with the rules that tests name. A claim without
// a test fails, and so does a rule that a test names and nobody claims. `--write` claims what the tests name now.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const areas =
  'AMB CANC CAP CARD CTX CUST DISC DM EQ ERR EXT GET GOV GRPC HIST IANA JRPC LIST MSG PJ PUSH REST SEC SEND SIGN SSE STRM SUB SVC TASK VERS WEBH XCARD'
const rule = new RegExp(`(?<![\\w-])(?:${areas.split(' ').join('|')})-\\d{2,3}[a-z]?\\b`, 'g')

/** What is wrong under `root`, as lines of text, and how many rules are claimed. */
export function checkRules(root) {
  const named = rulesInTests(root)
  const claimed = readClaims(root)
  const twice = claimed.filter((id, index) => claimed.indexOf(id) !== index)
  return {
    claimed: claimed.length,
    problems: [
      ...claimed.filter((id) => !named.has(id)).map((id) => `${id} is claimed, but no test names it`),
      ...[...named]
        .filter(([id]) => !claimed.includes(id))
        .map(([id, path]) => `${id} is named by ${path}, but not claimed`),
      ...twice.map((id) => `${id} is claimed twice`),
    ],
  }
}

function readClaims(root) {
  const file = join(root, 'test', 'claimed-rules.json')
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : []
}

// Contract suites are tests as well, but shipped, so that other stores can be held to them; their files are called `testing…`.
function rulesInTests(root) {
  const named = new Map()
  for (const folder of ['src', 'test'].filter((name) => existsSync(join(root, name)))) {
    for (const name of readdirSync(join(root, folder), { recursive: true }).sort()) {
      const isTest =
        name.endsWith('.test.ts') ||
        (folder === 'test' ? name.endsWith('.ts') : /(^|[/\\])testing[^/\\]*\.ts$/.test(name))
      if (!isTest) continue
      const path = join(folder, name)
      for (const [id] of readFileSync(join(root, path), 'utf8').matchAll(rule)) if (!named.has(id)) named.set(id, path)
    }
  }
  return named
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const args = process.argv.slice(2)
  const root = args.find((arg) => !arg.startsWith('--')) ?? join(import.meta.dirname, '..')
  if (args.includes('--write')) {
    const ids = [...rulesInTests(root).keys()].sort()
    writeFileSync(join(root, 'test', 'claimed-rules.json'), `${JSON.stringify(ids, null, 2)}\n`)
  }
  const { problems, claimed } = checkRules(root)
  for (const problem of problems) console.error(problem)
  console.log(`check-rules: ${problems.length === 0 ? `ok, ${claimed} rules` : `${problems.length} problems`}`)
  process.exitCode = problems.length === 0 ? 0 : 1
}
