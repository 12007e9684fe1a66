import { defineConfig } from 'vitest/config'

/** Proofs fill, break or measure a whole machine: each takes as long as it takes, and has it to itself. */
const proof = {
  maxWorkers: 1,
  isolate: false,
  testTimeout: 3_600_000,
  hookTimeout: 3_600_000,
  globalSetup: 'proofs/faults/global-setup.ts',
}

export default defineConfig({
  test: {
    projects: [
      { test: { ...proof, name: 'proofs', include: ['proofs/*.test.ts'], globalSetup: [] } },
      { test: { ...proof, name: 'alone', include: ['proofs/faults/alone/*.test.ts'] } },
      // These leave the machine to others: three at a time, after the rest.
      {
        test: {
          ...proof,
          name: 'faults',
          include: ['proofs/faults/*.test.ts'],
          maxWorkers: 3,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
})
