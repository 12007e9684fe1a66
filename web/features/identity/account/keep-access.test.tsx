// @vitest-environment happy-dom
import { QueryClientProvider } from '@tanstack/react-query'
import { expect, onTestFinished, test, vi } from 'vitest'
import { accounts } from '#contract/identity/accounts.ts'
import { createQueryClient } from '#web/api/query-client.ts'
import { eventually, render } from '#web/testing/render.tsx'
import KeepAccess from './keep-access.tsx'

test.for([
  ['a new account', 0, 'The receipt we’ve emailed to ada@example.com has a link to set one.'],
  ['an account whose first link has expired', 8, 'We can email a link to set one to ada@example.com.'],
] as const)('for %s, it is true where the link to set a password is', async ([, ageDays, text]) => {
  const createdAt = new Date(Date.now() - ageDays * 86_400_000).toISOString()
  vi.stubGlobal('fetch', async (address: string) =>
    address === accounts.user.path
      ? Response.json({ id: '1', email: 'ada@example.com', name: '', createdAt })
      : new Response('', { status: 503 }),
  )
  onTestFinished(() => void vi.unstubAllGlobals())
  await render(
    <QueryClientProvider client={createQueryClient()}>
      <KeepAccess email="ada@example.com" />
    </QueryClientProvider>,
  )
  await eventually(() => expect(document.body.textContent).toContain(text))
})
