// @vitest-environment happy-dom
import { QueryClientProvider } from '@tanstack/react-query'
import { expect, onTestFinished, test, vi } from 'vitest'
import { eventually, perform, render } from '#web/testing/render.tsx'
import { createQueryClient } from './query-client.ts'
import { useLogoutCall, useUser } from './session.ts'

test('after a logout, the user is cleared and refetched', async () => {
  const ada = { id: '1', name: 'Ada', email: 'ada@example.com', isAdmin: false, createdAt: '2026-01-01' }
  const calls: string[] = []
  vi.stubGlobal('fetch', async (address: string, { method }: RequestInit) => {
    calls.push(`${method} ${address}`)
    return Response.json(calls.includes('POST /api/logout') ? null : ada)
  })
  onTestFinished(() => void vi.unstubAllGlobals())
  const page = { name: '', logOut: () => Promise.resolve() }
  function Page() {
    Object.assign(page, { name: useUser().user?.name, logOut: useLogoutCall() })
    return null
  }
  await render(
    <QueryClientProvider client={createQueryClient()}>
      <Page />
    </QueryClientProvider>,
  )
  await eventually(() => expect(page.name).toBe('Ada'))
  await perform(() => page.logOut())
  await eventually(() => expect(page.name).toBeUndefined())
  expect(calls).toEqual(['GET /api/user', 'POST /api/logout', 'GET /api/user'])
})
