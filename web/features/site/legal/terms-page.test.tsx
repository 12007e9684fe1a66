// @vitest-environment happy-dom
import { QueryClientProvider } from '@tanstack/react-query'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createQueryClient } from '#web/api/query-client.ts'
import { eventually, render } from '#web/testing/render.tsx'
import { NavigationProvider } from '#web/ui/navigation.tsx'
import TermsPage from './terms-page.tsx'

test('terms that can’t be loaded, such as an unknown version, show an error', async () => {
  vi.stubGlobal('fetch', async () => Response.json({ message: 'Terms not found' }, { status: 404 }))
  onTestFinished(() => void vi.unstubAllGlobals())
  await render(
    <QueryClientProvider client={createQueryClient()}>
      <NavigationProvider pathname="/legal/terms" load={() => Promise.resolve()}>
        <TermsPage />
      </NavigationProvider>
    </QueryClientProvider>,
  )
  await eventually(() => expect(document.body.textContent).toContain('We couldn’t load the terms.'))
})
