import { defineConfig, type ViteUserConfig } from 'vitest/config'

const config: ViteUserConfig = defineConfig({
  // Examples name the package, and are tested with its sources.
  resolve: { tsconfigPaths: true },
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    // Few processes for all: start-up is paid once in each, and a test that leaves something behind is noticed by the next.
    pool: 'forks',
    isolate: false,
    maxWorkers: 2,
    reporters: ['default', './scripts/reporter.mjs'],
  },
})

export default config
