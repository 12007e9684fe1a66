// @vitest-environment happy-dom
import { QueryClientProvider } from '@tanstack/react-query'
import { expect, onTestFinished, test, vi } from 'vitest'
import { serviceMessages } from '#contract/site/service-messages.ts'
import type { SiteSettings } from '#contract/site/site-settings.ts'
import { createQueryClient } from '#web/api/query-client.ts'
import { SettingsProvider } from '#web/api/settings.tsx'
import { eventually, perform, render } from '#web/testing/render.tsx'
import * as confirmation from '#web/ui/confirm.tsx'
import { NavigationProvider } from '#web/ui/navigation.tsx'
import ServiceMessages from './service-messages.tsx'

const audience = { customers: 12, refused: 0, remaining: 3, missing: [] }
const products = [
  { id: '7f0c7f6e-3c43-4f6b-9a39-2a4f0a5b8c11', name: 'Sigma', slug: 'sigma', list: null, state: 'on sale' },
]

/** Answers the screen's calls; the list of sent messages is empty. */
function stubServer() {
  vi.stubGlobal('fetch', async (address: string) => {
    if (address.startsWith(serviceMessages.adminAudience.path)) return Response.json(audience)
    return Response.json(address.includes('products') ? products : [])
  })
  onTestFinished(() => void vi.unstubAllGlobals())
}

function typeInto(name: string, text: string) {
  const field = document.querySelector<HTMLInputElement>(`[name="${name}"]`)
  if (!field) throw new Error(`There is no field ${name}`)
  field.value = text
  field.dispatchEvent(new Event('input', { bubbles: true }))
}

test('a seller who does not confirm the service message keeps what they wrote', async () => {
  stubServer()
  const confirm = vi.spyOn(confirmation, 'confirm').mockResolvedValue(false)
  await render(
    <SettingsProvider value={{ publicUrl: 'https://shop.example' } as SiteSettings}>
      <QueryClientProvider client={createQueryClient()}>
        <NavigationProvider pathname="/admin/messages/service" load={() => Promise.resolve()}>
          <ServiceMessages />
        </NavigationProvider>
      </QueryClientProvider>
    </SettingsProvider>,
  )
  await eventually(() => expect(document.body.textContent).toContain('Send to 12 customers'))
  await perform(() => {
    typeInto('reason', 'security')
    typeInto('subject', 'A new version')
    typeInto('markdown', 'Please update the indicator.')
  })
  await perform(() => document.querySelector<HTMLElement>('button[type=submit]')?.click())
  await eventually(() => expect(confirm).toHaveBeenCalledOnce())
  await perform(() => Promise.resolve())
  expect(document.querySelector<HTMLInputElement>('[name=subject]')?.value).toBe('A new version')
  expect(document.querySelector<HTMLTextAreaElement>('[name=markdown]')?.value).toBe('Please update the indicator.')
})
