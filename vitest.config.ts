import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['{contract,server,sandbox,web,scripts}/**/*.test.{ts,tsx}'],
    globalSetup: 'server/testing/global-setup.ts',
    setupFiles: 'server/testing/property-seed.ts',
    pool: 'threads',
    // Test files of a worker share loaded modules, because no module has global state. This saves a third of the time.
    isolate: false,
    // Cores plus one, because tests wait for PostgreSQL a fifth of their time. More than four slow each other down.
    maxWorkers: Math.min(availableParallelism() + 1, 4),
    // Ends tests that hang. Generous, because a slow machine must not fail a test.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
  },
})
