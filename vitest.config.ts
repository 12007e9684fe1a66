import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['{contract,server,sandbox,web,scripts}/**/*.test.{ts,tsx}'],
    globalSetup: 'server/testing/global-setup.ts',
    pool: 'threads',
    // No room has globals, so test files may share the modules of their worker: a third less work.
    isolate: false,
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
})
