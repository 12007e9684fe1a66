import { defineConfig } from 'vitest/config'

/** Ends a proof that hangs. The longest one takes about twenty minutes on an idle machine. */
const longestMs = 2 * 3_600_000

/** A proof has the machine to itself. */
const proof = {
  maxWorkers: 1,
  isolate: false,
  testTimeout: longestMs,
  hookTimeout: longestMs,
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
