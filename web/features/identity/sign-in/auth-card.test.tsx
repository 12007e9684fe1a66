// @vitest-environment happy-dom
import { expect, test } from 'vitest'
import { ApiError, ConnectionError } from '#contract/call.ts'
import { render } from '#web/testing/render.tsx'
import { Refusal } from './auth-card.tsx'

test.for([
  [
    'a lost connection',
    new ConnectionError('Failed to fetch'),
    'We couldn’t reach the server. Please check your connection',
  ],
  ['the server’s sentence', new ApiError(429, '', '{"message":"Please wait a minute"}'), 'Please wait a minute'],
] as const)('beside a form, an error shows %s', async ([, error, text]) => {
  await render(<Refusal error={error} />)
  expect(document.body.textContent).toContain(text)
})

test('an error that a field shows is not repeated beside the form', async () => {
  await render(<Refusal error={new ApiError(400, '', '{"message":"No","fields":{"code":"Wrong code"}}')} />)
  expect(document.body.textContent).toBe('')
})
