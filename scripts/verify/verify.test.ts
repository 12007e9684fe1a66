import { expect, test } from 'vitest'
import { openTestSandbox } from '#sandbox/testing/open-test-sandbox.ts'
import { createStages } from './stage.ts'
import { differences, scenes } from './verify.ts'

/** The same scenes that `npm run stripe -- verify` plays at Stripe. */
test('the stand-in behaves in every scene as the shop expects', { timeout: 180_000 }, async () => {
  const { sandbox } = await openTestSandbox({ draftSeconds: 3600, lag: { from: 0, to: 0 } })
  const { withStage } = createStages({ secretKey: sandbox.secretKey, address: sandbox.api, pollIntervalMs: 10 })
  const differing: string[] = []
  for (const scene of scenes) {
    const facts = await withStage((stage) => scene.play(stage))
    differing.push(...differences(scene, facts).map((line) => `${scene.title}: ${line}`))
  }
  expect(differing).toEqual([])
})
