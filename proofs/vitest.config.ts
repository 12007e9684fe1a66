import { defineConfig } from 'vitest/config'

/** A proof may take up to an hour, and has the machine to itself. */
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
      // These faults leave cores idle, so three run at a time, after the others.
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
