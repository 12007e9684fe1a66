import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Slow files, which start other processes. They run first, because one that starts last would run alone at the end. */
const slow = /(build|command|crash|demo|dev|every-process|exactly-once|output)\.test\.ts$/

class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]) {
    const inUsualOrder = super.sort.bind(this)
    const isSlow = ({ moduleId }: TestSpecification) => slow.test(moduleId)
    return (await inUsualOrder(files)).toSorted((a, b) => Number(isSlow(b)) - Number(isSlow(a)))
  }
}

export default defineConfig({
  test: {
    include: ['{contract,server,sandbox,web,scripts}/**/*.test.{ts,tsx}'],
    globalSetup: 'server/testing/global-setup.ts',
    setupFiles: 'server/testing/property-seed.ts',
    sequence: { sequencer: SlowFirst },
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
