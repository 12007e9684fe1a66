// @vitest-environment happy-dom
import { expect, test, vi } from 'vitest'
import { ApiError, ConnectionError } from '#contract/call.ts'
import { session } from '#contract/identity/session.ts'
import * as toasts from '#web/ui/toast.tsx'
import { call } from './client.ts'
import { toastError } from './use-call.ts'

function shownAfter(error: unknown, message: Parameters<typeof toastError>[0] = 'Failed to add asset') {
  const toast = vi.spyOn(toasts, 'toast').mockImplementation(() => {})
  toastError(message, error)
  const shownToast = toast.mock.lastCall?.[0]
  toast.mockRestore()
  return `${shownToast?.title} / ${shownToast?.description}`
}

const refused = (status: number, statusText: string, body: string) => new ApiError(status, statusText, body)

test.for([
  ['the server’s message', refused(409, 'Conflict', '{"message":"The list is full"}'), 'The list is full'],
  ['the status and body, if there is no message', refused(422, '', 'the list is full'), '422: the list is full'],
  ['the status text, if there is no body', refused(503, 'Service Unavailable', ''), '503: Service Unavailable'],
  [
    'the status text instead of a proxy’s page',
    refused(502, 'Bad Gateway', '<html><h1>502 Bad Gateway</h1></html>'),
    '502: Bad Gateway',
  ],
  [
    'the standard status text instead of a proxy’s page over HTTP/2, which sends none',
    refused(503, '', '<!doctype html><title>Down</title>'),
    '503: Service Unavailable',
  ],
  [
    'a response in another format, unchanged',
    refused(422, '', '{"message":{"code":7}}'),
    '422: {"message":{"code":7}}',
  ],
  [
    'what to check, if the server cannot be reached',
    new ConnectionError('Failed to fetch'),
    'We couldn’t reach the server. Please check your connection and try again.',
  ],
  ['a request to try again, if nothing is known about the failure', undefined, 'Please try again.'],
] as const)('an error shows %s', ([, error, text]) => {
  expect(shownAfter(error)).toBe(`Failed to add asset / ${text}`)
})

test('only a failed request blames the connection, and no error of a program does', async () => {
  const failuresOfCall = [
    () => Promise.reject(new TypeError('Failed to fetch')),
    async () => Object.assign(new Response(), { text: () => Promise.reject(new TypeError('network error')) }),
  ]
  for (const fetch of failuresOfCall) {
    vi.stubGlobal('fetch', fetch)
    const error: unknown = await call(session.user, {}).catch((failure: unknown) => failure)
    expect(shownAfter(error)).toContain('We couldn’t reach the server.')
  }
  vi.unstubAllGlobals()
  expect(shownAfter(new TypeError('undefined is not a function'))).not.toContain('reach the server')
})

test('closing the dialog that asks for another proof shows no error', () => {
  const toast = vi.spyOn(toasts, 'toast').mockImplementation(() => {})
  toastError('Export failed', refused(403, '', '{"message":"Please confirm that it’s you.","again":["password"]}'))
  expect(toast).not.toHaveBeenCalled()
  toast.mockRestore()
})

test('a fixed description is shown for every error, after the reason if the server refused the call', () => {
  const message = { title: 'Failed to send message', description: 'Please write us.', isFixed: true }
  expect(shownAfter(refused(500, '', '{"message":"Something went wrong"}'), message)).toBe(
    'Failed to send message / Please write us.',
  )
  expect(shownAfter(refused(429, '', '{"message":"Please wait a minute"}'), message)).toBe(
    'Failed to send message / Please wait a minute Please write us.',
  )
  expect(shownAfter(new ConnectionError('fetch failed'), message)).toBe('Failed to send message / Please write us.')
})
