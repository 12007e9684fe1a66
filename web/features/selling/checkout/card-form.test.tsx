// @vitest-environment happy-dom
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { expect, test, vi } from 'vitest'
import type { SiteSettings } from '#contract/site/site-settings.ts'
import { SettingsProvider } from '#web/api/settings.tsx'
import { eventually, perform, render } from '#web/testing/render.tsx'
import CardForm from './card-form.tsx'

vi.mock('./load-stripe.ts', () => ({ loadStripeOnce: async () => ({}) }))
vi.mock('@stripe/react-stripe-js', () => ({
  Elements: ({ children }: { children: ReactNode }) => children,
  PaymentElement: ({ onReady }: { onReady: () => void }) => (
    <button type="button" onClick={onReady} id="ready">
      The card fields are there
    </button>
  ),
  useStripe: () => ({}),
  useElements: () => ({}),
}))

test('a payment whose request fails shows an error and can be tried again', async () => {
  const settings = { stripe: { scriptUrl: '' } } as unknown as SiteSettings
  await render(
    <QueryClientProvider client={new QueryClient()}>
      <SettingsProvider value={settings}>
        <CardForm
          clientSecret="pi_1_secret_2"
          label="Pay $39.00"
          onSubmit={() => Promise.reject(new Error('offline'))}
        />
      </SettingsProvider>
    </QueryClientProvider>,
  )
  await eventually(() => expect(document.querySelector('#ready')).not.toBeNull())
  await perform(() => document.querySelector<HTMLElement>('#ready')?.click())
  const pay = document.querySelector<HTMLButtonElement>('button[type=submit]')
  await perform(() => pay?.click())
  await eventually(() => expect(document.body.textContent).toContain('you won’t be charged twice'))
  expect(pay?.disabled).toBe(false)
})
