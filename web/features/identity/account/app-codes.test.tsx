// @vitest-environment happy-dom
import { QueryClientProvider } from '@tanstack/react-query'
import { expect, onTestFinished, test, vi } from 'vitest'
import { factors } from '#contract/identity/factors.ts'
import { createQueryClient } from '#web/api/query-client.ts'
import { eventually, perform, render } from '#web/testing/render.tsx'
import * as toasts from '#web/ui/toast.tsx'
import { AppCodes } from './app-codes.tsx'

test('a code that can’t be sent shows why', async () => {
  vi.stubGlobal('fetch', async (address: string) => {
    if (address !== factors.beginAppCodes.path) throw new TypeError('Failed to fetch')
    return Response.json({ secret: 'ABCD', sealed: 'sealed', qr: { size: 1, path: '' } })
  })
  const toast = vi.spyOn(toasts, 'toast').mockImplementation(() => {})
  onTestFinished(() => {
    vi.unstubAllGlobals()
    vi.restoreAllMocks()
  })
  await render(
    <QueryClientProvider client={createQueryClient()}>
      <AppCodes since={null} mayAdd onCodes={() => {}} />
    </QueryClientProvider>,
  )
  await perform(() => document.querySelector('button')?.click())
  await eventually(() => expect(document.querySelector('[name=code]')).not.toBeNull())
  await perform(() => {
    const field = document.querySelector<HTMLInputElement>('[name=code]')
    if (field) field.value = '123456'
    document.querySelector<HTMLElement>('button[type=submit]')?.click()
  })
  await eventually(() =>
    expect(toast).toHaveBeenCalledWith(
      expect.objectContaining({ description: expect.stringContaining('couldn’t reach the server') }),
    ),
  )
})
