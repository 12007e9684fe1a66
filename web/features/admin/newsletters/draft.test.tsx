// @vitest-environment happy-dom
import { QueryClientProvider } from '@tanstack/react-query'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { AdminNewsletter } from '#contract/site/newsletters.ts'
import type { SiteSettings } from '#contract/site/site-settings.ts'
import { createQueryClient } from '#web/api/query-client.ts'
import { SettingsProvider } from '#web/api/settings.tsx'
import { eventually, perform, render } from '#web/testing/render.tsx'
import { NavigationProvider } from '#web/ui/navigation.tsx'
import { autosaveDelayMs, Draft } from './draft.tsx'

const draft = { id: 'draft-1', version: 1, subject: 'News', preheader: '', markdown: 'Text', toSubscribers: true }
const unsaved = { isUnsaved: () => true, setUnsaved: () => {} }

const wait = (milliseconds: number) => perform(() => new Promise((resolve) => setTimeout(resolve, milliseconds)))

const type = (text: string) =>
  perform(() => {
    const field = document.querySelector<HTMLInputElement>('[name=subject]')
    if (!field) throw new Error('The form must have a subject')
    field.value = text
    field.dispatchEvent(new Event('input', { bubbles: true }))
  })

test('text typed during an autosave is saved automatically, too', async () => {
  const { setTimeout } = globalThis
  vi.stubGlobal('setTimeout', (action: () => void, delay = 0) =>
    setTimeout(action, delay === autosaveDelayMs ? 5 : delay),
  )
  const firstSave = Promise.withResolvers<void>()
  const savedSubjects: string[] = []
  vi.stubGlobal('fetch', async (_: string, { method, body }: RequestInit) => {
    if (method === 'GET') return Response.json([])
    savedSubjects.push((JSON.parse(body as string) as AdminNewsletter).subject)
    await firstSave.promise
    return Response.json({})
  })
  onTestFinished(() => void vi.unstubAllGlobals())
  await render(
    <SettingsProvider value={{ products: [{ name: 'Sigma', slug: 'sigma' }] } as unknown as SiteSettings}>
      <QueryClientProvider client={createQueryClient()}>
        <NavigationProvider pathname="/admin" load={() => Promise.resolve()}>
          <Draft
            initialContent={{ ...draft, buyersOf: null }}
            saved={draft as unknown as AdminNewsletter}
            unsaved={unsaved}
          />
        </NavigationProvider>
      </QueryClientProvider>
    </SettingsProvider>,
  )
  await type('First')
  await eventually(() => expect(savedSubjects).toEqual(['First']))
  await type('Second')
  await wait(20)
  firstSave.resolve()
  await eventually(() => expect(savedSubjects).toEqual(['First', 'Second']))
})
