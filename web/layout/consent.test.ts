import { expect, test, vi } from 'vitest'
import { mustAsk } from './consent.ts'

test('without a region lookup everybody is asked, and nothing is sent anywhere', async () => {
  const sent = vi.spyOn(globalThis, 'fetch')
  expect(await mustAsk(null)).toBe(true)
  expect(sent).not.toHaveBeenCalled()
})
