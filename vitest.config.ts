import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['{contract,server,sandbox,web,scripts}/**/*.test.{ts,tsx}'],
    globalSetup: 'server/testing/global-setup.ts',
    pool: 'threads',
    // No room has globals, so test files may share the modules of their worker: a third less work.
    isolate: false,
    // Tests mostly wait for PostgreSQL, so no core is kept free; more than four would wait for each other.
    maxWorkers: Math.min(availableParallelism(), 4),
    // Only to end what hangs: a busy machine is no failure.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
  },
})
