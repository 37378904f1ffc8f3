// Makes `dist/`: the library by tsc, file by file, and the command line by esbuild, as a few files that load quickly.
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { build } from 'esbuild'
import { root, run } from './run.mjs'

// Heavy, or with files of their own beside the code: found in node_modules when a command needs them.
const external = [
  'ai',
  '@ai-sdk/*',
  '@photostructure/sqlite',
  '@opentelemetry/api',
  'prom-client',
  'jiti',
  'undici',
  'pino',
]

/** Compiles everything into `dist/`, which is replaced only when all of it went well. */
export async function compile() {
  const next = join(root, `dist.${process.pid}`)
  try {
    const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
    if (run(process.execPath, [tsc, '-p', 'tsconfig.build.json', '--outDir', next]) !== 0) {
      throw new Error('the sources do not compile; the messages are above')
    }
    await bundleCommandLine(join(next, 'cli'))
    replaceFolder(join(root, 'dist'), next)
  } finally {
    rmSync(next, { recursive: true, force: true })
  }
  linkCommand()
}

async function bundleCommandLine(folder) {
  rmSync(folder, { recursive: true, force: true })
  await build({
    entryPoints: { main: join(root, 'src', 'cli', 'main.ts') },
    outdir: folder,
    chunkNames: '[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: 'linked',
    logLevel: 'warning',
    external,
    plugins: [keepOwnAddress],
    // Packages in the older module format ask for Node's modules with `require`, which a module does not have.
    banner: {
      js: "import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);",
    },
  })
  const main = join(folder, 'main.js')
  const text = readFileSync(main, 'utf8')
  if (!text.startsWith('#!')) writeFileSync(main, `#!/usr/bin/env node\n${text}`)
  chmodSync(main, 0o755)
}

// A source that looks for a file beside itself (a worker, package.json) must find it from inside the bundle as well. All
// files of the bundle lie in one folder, so the place of the file that tsc made of the same source is known.
const keepOwnAddress = {
  name: 'keep-own-address',
  setup(bundler) {
    const sources = join(root, 'src')
    bundler.onLoad({ filter: /\.ts$/ }, ({ path }) => {
      if (!path.startsWith(sources)) return undefined
      const text = readFileSync(path, 'utf8')
      if (!text.includes('import.meta.url')) return undefined
      const compiled = relative(join(sources, 'cli'), path).replaceAll('\\', '/').replace(/\.ts$/, '.js')
      const address = compiled.startsWith('.') ? compiled : `./${compiled}`
      const contents = text.replaceAll('import.meta.url', `new URL(${JSON.stringify(address)}, import.meta.url).href`)
      return { contents, loader: 'ts', resolveDir: dirname(path) }
    })
  },
}

function replaceFolder(target, next) {
  const old = `${next}.old`
  if (existsSync(target)) renameSync(target, old)
  renameSync(next, target)
  rmSync(old, { recursive: true, force: true })
}

// With this link `npx parlance` runs the build of this clone, at once and without asking.
function linkCommand() {
  const folder = join(root, 'node_modules', '.bin')
  mkdirSync(folder, { recursive: true })
  const link = join(folder, 'parlance')
  rmSync(link, { force: true })
  if (process.platform === 'win32') writeFileSync(`${link}.cmd`, '@node "%~dp0..\\..\\dist\\cli\\main.js" %*\r\n')
  else symlinkSync(join('..', '..', 'dist', 'cli', 'main.js'), link)
}
