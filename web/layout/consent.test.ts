import { expect, test, vi } from 'vitest'
import { mustAskForConsent } from './consent.ts'

test('without a region lookup everybody is asked, and nothing is sent anywhere', async () => {
  const fetchSpy = vi.spyOn(globalThis, 'fetch')
  expect(await mustAskForConsent(null)).toBe(true)
  expect(fetchSpy).not.toHaveBeenCalled()
})
