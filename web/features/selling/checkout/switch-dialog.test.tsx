// @vitest-environment happy-dom
import { QueryClientProvider } from '@tanstack/react-query'
import { useState } from 'react'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { Purchase } from '#contract/selling/purchases.ts'
import type { SiteSettings } from '#contract/site/site-settings.ts'
import { createQueryClient } from '#web/api/query-client.ts'
import { SettingsProvider } from '#web/api/settings.tsx'
import { eventually, perform, render } from '#web/testing/render.tsx'
import * as toasts from '#web/ui/toast.tsx'
import SwitchDialog from './switch-dialog.tsx'

const purchase = { id: 'p1', product: { name: 'Sigma', slug: 'sigma' }, billingType: 'monthly', period: 'month' }
const renewsAt = '2027-11-01T12:00:00.000Z'
const offer = {
  at: renewsAt,
  billingType: 'yearly',
  price: 39_000,
  lines: [],
  due: 36_660,
  renewsAt,
  nextAmount: 39_000,
}
const prices = { sigma: { monthly: { amount: 3900, regular: null }, yearly: { amount: 39_000, regular: null } } }

test('a payment that fails after the dialog was closed is reported', async () => {
  const payment = Promise.withResolvers<Response>()
  vi.stubGlobal('fetch', async (_address: string, { method }: RequestInit) =>
    method === 'POST' ? payment.promise : Response.json(offer),
  )
  const toast = vi.spyOn(toasts, 'toast').mockImplementation(() => {})
  onTestFinished(() => {
    vi.unstubAllGlobals()
    vi.restoreAllMocks()
  })
  function Page() {
    const [isOpen, setIsOpen] = useState(true)
    return isOpen && <SwitchDialog purchase={purchase as Purchase} onClose={() => setIsOpen(false)} />
  }
  await render(
    <SettingsProvider value={{ prices, products: [], consumerLaw: 'none' } as unknown as SiteSettings}>
      <QueryClientProvider client={createQueryClient()}>
        <Page />
      </QueryClientProvider>
    </SettingsProvider>,
  )
  const button = (name: string) =>
    [...document.querySelectorAll('button')].find(({ textContent }) => textContent.startsWith(name))
  await eventually(() => expect(button('Pay now')).toBeDefined())
  await perform(() => button('Pay now')?.click())
  await eventually(() => expect(button('Processing')).toBeDefined())
  expect(button('Not now')).toBeUndefined()
  await perform(() => button('Close')?.click())
  expect(document.querySelector('dialog')).toBeNull()
  await perform(() => payment.resolve(Response.json({ message: 'Your card was declined.' }, { status: 402 })))
  await eventually(() =>
    expect(toast).toHaveBeenCalledWith(expect.objectContaining({ description: 'Your card was declined.' })),
  )
})
