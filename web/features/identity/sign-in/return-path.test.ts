// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { forgetReturnPath, loginReason, rememberReturnPath, returnPath, returnToPayment } from './return-path.ts'

beforeEach(() => history.replaceState(null, '', '/dashboard?page=2'))
afterEach(() => {
  vi.restoreAllMocks()
  sessionStorage.clear()
  history.replaceState(null, '', '/')
})

test('a login leads back to the page that asked for it, and says why', () => {
  expect([returnPath(), loginReason()]).toEqual(['/dashboard', ''])
  rememberReturnPath({ hasSessionEnded: false })
  expect([returnPath(), loginReason()]).toEqual(['/dashboard?page=2', 'Please log in to continue.'])
  rememberReturnPath({ hasSessionEnded: true })
  expect(loginReason()).toContain('Your session has ended.')
  forgetReturnPath()
  expect([returnPath(), loginReason()]).toEqual(['/dashboard', ''])
})

test('where visitors block storage, pages work and a login leads to the dashboard', () => {
  vi.spyOn(window, 'sessionStorage', 'get').mockImplementation(() => {
    throw new DOMException('The operation is insecure.', 'SecurityError')
  })
  returnToPayment('pi_1')
  rememberReturnPath({ hasSessionEnded: true })
  expect([returnPath(), loginReason()]).toEqual(['/dashboard', ''])
  vi.restoreAllMocks()
  expect(sessionStorage.length).toBe(0)
})
