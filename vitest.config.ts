import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files whose tests start processes and wait for them. Begun last, one of them would run alone at the end. */
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
    sequence: { sequencer: SlowFirst },
    pool: 'threads',
    // No module has global state, so test files share the modules of their worker, which saves a third of the time.
    isolate: false,
    // Cores plus one, because tests wait for PostgreSQL a fifth of their time. More than four would wait for each other.
    maxWorkers: Math.min(availableParallelism() + 1, 4),
    // Only to end what hangs: a busy machine is no failure.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
  },
})
