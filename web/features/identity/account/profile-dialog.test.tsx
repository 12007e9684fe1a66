// @vitest-environment happy-dom
import { QueryClientProvider } from '@tanstack/react-query'
import { expect, onTestFinished, test, vi } from 'vitest'
import { access } from '#contract/access/access.ts'
import { accounts } from '#contract/identity/accounts.ts'
import { keyOf } from '#web/api/client.ts'
import { createQueryClient } from '#web/api/query-client.ts'
import { eventually, perform, render } from '#web/testing/render.tsx'
import { NavigationProvider } from '#web/ui/navigation.tsx'
import ProfileDialog from './profile-dialog.tsx'

test('the profile can be saved only once it is known which access a new username would move', async () => {
  const ownAccess = Promise.withResolvers<Response>()
  const queryClient = createQueryClient()
  vi.stubGlobal('fetch', async (address: string) =>
    address === access.mine.path
      ? ownAccess.promise
      : Response.json({ name: 'Ada', email: 'ada@example.com', tradingViewUsername: 'ada', hasPassword: true }),
  )
  onTestFinished(() => void vi.unstubAllGlobals())
  await render(
    <QueryClientProvider client={queryClient}>
      <NavigationProvider pathname="/dashboard" load={() => Promise.resolve()}>
        <ProfileDialog onClose={() => {}} />
      </NavigationProvider>
    </QueryClientProvider>,
  )
  await eventually(() => expect(queryClient.getQueryData(keyOf(accounts.profile))).toMatchObject({ name: 'Ada' }))
  expect(document.body.textContent).not.toContain('Save Changes')
  await perform(() => ownAccess.resolve(Response.json([])))
  await eventually(() => expect(document.body.textContent).toContain('Save Changes'))
})
