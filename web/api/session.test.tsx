// @vitest-environment happy-dom
import { QueryClientProvider } from '@tanstack/react-query'
import { expect, onTestFinished, test, vi } from 'vitest'
import { accounts } from '#contract/identity/accounts.ts'
import { eventually, perform, render } from '#web/testing/render.tsx'
import { call, useData } from './client.ts'
import { createQueryClient } from './query-client.ts'
import { useFollowSession, useLogoutCall, useSessionEnded, useUser } from './session.ts'

type Answers = Record<string, () => unknown>

/** Shows the user's name and profile, as pages do. */
async function showPage(answers: Answers) {
  const headers: (string | null)[] = []
  vi.stubGlobal('fetch', async (address: string, init: RequestInit) => {
    headers.push(new Headers(init.headers).get('shown-user'))
    return Response.json(answers[address]?.())
  })
  onTestFinished(() => {
    vi.unstubAllGlobals()
    localStorage.clear()
  })
  const page = { name: '', profileName: '', hasEnded: false, headers }
  function Page() {
    useFollowSession()
    const { user } = useUser()
    const profile = useData(accounts.profile, {}, { enabled: user !== null })
    Object.assign(page, { name: user?.name, profileName: user && profile.data?.name, hasEnded: useSessionEnded() })
    return null
  }
  await render(
    <QueryClientProvider client={createQueryClient()}>
      <Page />
    </QueryClientProvider>,
  )
  return page
}

test('if the user cannot be reloaded, the page keeps showing them', async () => {
  let isOffline = false
  vi.stubGlobal('fetch', async () => {
    if (isOffline) throw new TypeError('Failed to fetch')
    return Response.json(personNamed('Ada'))
  })
  onTestFinished(() => {
    vi.unstubAllGlobals()
    localStorage.clear()
  })
  const client = createQueryClient()
  const page: Partial<ReturnType<typeof useUser>> = {}
  function Page() {
    Object.assign(page, useUser())
    return null
  }
  await render(
    <QueryClientProvider client={client}>
      <Page />
    </QueryClientProvider>,
  )
  await eventually(() => expect(page.user?.name).toBe('Ada'))
  isOffline = true
  await perform(() => client.refetchQueries())
  await eventually(() => expect(client.getQueryCache().getAll()[0]?.state.status).toBe('error'))
  await perform(() => new Promise((resolve) => setTimeout(resolve, 5)))
  expect(page).toMatchObject({ user: { name: 'Ada' }, error: null })
})

const personNamed = (name: string) => ({ id: name, name, email: `${name}@example.com`, isAdmin: false })

test.for([
  ['another tab', () => window.dispatchEvent(new StorageEvent('storage', { key: 'user' }))],
  ['another page, before the browser goes back to this one', () => window.dispatchEvent(new Event('pageshow'))],
] as const)('after someone else logs in in %s, nothing of the former person is shown or sent', async ([, tell]) => {
  let current = 'Ada'
  const answerWithCurrent = () => personNamed(current)
  const page = await showPage({ '/api/user': answerWithCurrent, '/api/user/profile': answerWithCurrent })
  await eventually(() => expect(page).toMatchObject({ name: 'Ada', profileName: 'Ada', hasEnded: false }))
  await perform(tell)
  expect(page.headers).toHaveLength(2)

  current = 'Grace'
  localStorage.setItem('user', 'Grace')
  await perform(tell)
  await eventually(() => expect(page).toMatchObject({ name: 'Grace', profileName: 'Grace', hasEnded: false }))
  await perform(() => call(accounts.updateProfile, { name: 'New' }))
  expect(page.headers.at(-1)).toBe('Grace')
})

test('after a logout in another tab, the session has ended in this one', async () => {
  let isLoggedIn = true
  const page = await showPage({
    '/api/user': () => (isLoggedIn ? personNamed('Ada') : null),
    '/api/user/profile': () => personNamed('Ada'),
  })
  await eventually(() => expect(page).toMatchObject({ name: 'Ada', profileName: 'Ada' }))
  isLoggedIn = false
  localStorage.removeItem('user')
  await perform(() => window.dispatchEvent(new StorageEvent('storage', { key: 'user' })))
  await eventually(() => expect(page).toMatchObject({ name: undefined, profileName: null, hasEnded: true }))
})

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
