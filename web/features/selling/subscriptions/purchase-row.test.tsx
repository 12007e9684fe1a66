// @vitest-environment happy-dom
import { QueryClientProvider } from '@tanstack/react-query'
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import type { Purchase } from '#contract/selling/purchases.ts'
import type { SiteSettings } from '#contract/site/site-settings.ts'
import { createQueryClient } from '#web/api/query-client.ts'
import { SettingsProvider } from '#web/api/settings.tsx'
import { perform, render } from '#web/testing/render.tsx'
import { ConfirmHost } from '#web/ui/confirm.tsx'
import { NavigationProvider, useNavigation } from '#web/ui/navigation.tsx'
import { PurchaseRow } from './purchase-row.tsx'

const id = 'b4d3f9a2-6d0e-4a53-9a3c-2f1f6f7f0c01'
const purchase = {
  id,
  product: { name: 'Sigma', slug: 'sigma' },
  billingType: 'monthly',
  period: 'month',
  amount: 3900,
  status: 'past_due',
  createdAt: '2026-10-01T12:00:00.000Z',
  paidThrough: 'stripe',
  awaitsBank: false,
}

let preview: { endsAt: string | null; refund: number }

beforeEach(() => {
  history.replaceState(null, '', '/')
  preview = { endsAt: '2026-11-30T12:00:00.000Z', refund: 0 }
})

/** Opens a page with this query, which shows the row once the query has been read. */
async function openRow(query: string, changes: Partial<Purchase> = {}, consumerLaw: 'eu' | 'none' = 'none') {
  vi.stubGlobal('fetch', async (url: string) =>
    url.endsWith('/cancellation') ? Response.json(preview) : new Response('', { status: 503 }),
  )
  onTestFinished(() => void vi.unstubAllGlobals())
  history.replaceState(null, '', `/dashboard?${query}`)
  function Page() {
    const { search } = useNavigation()
    return search && <PurchaseRow purchase={{ ...purchase, ...changes } as Purchase} mayBuyAgain={false} />
  }
  await render(
    <SettingsProvider value={{ prices: {}, consumerLaw } as SiteSettings}>
      <QueryClientProvider client={createQueryClient()}>
        <NavigationProvider pathname="/dashboard" load={() => Promise.resolve()}>
          <ul>
            <Page />
          </ul>
          <ConfirmHost />
        </NavigationProvider>
      </QueryClientProvider>
    </SettingsProvider>,
  )
  expect(document.body.textContent).toContain('Sigma')
}

async function askToCancel() {
  const buttons = [...document.querySelectorAll('button')]
  await perform(() => buttons.find(({ textContent }) => textContent === 'Cancel Subscription')?.click())
  await vi.waitFor(() => expect(document.querySelector('dialog')).not.toBeNull())
}

test('a payment that only needs the bank’s confirmation does not ask for another card', async () => {
  await openRow('a=b')
  expect(document.body.textContent).toContain('Payment failed. Please update your card.')
  document.body.replaceChildren()
  await openRow('a=b', { awaitsBank: true })
  expect(document.body.textContent).toContain('Your bank wants you to confirm the payment.')
  expect(document.body.textContent).not.toContain('update your card')
})

test('the link about an expiring card opens the card’s dialog, but the return from the bank does not', async () => {
  await openRow(`card=${id}`)
  expect(document.querySelector('dialog')).not.toBeNull()
  document.body.replaceChildren()
  await openRow(`card=${id}&setup_intent=seti_1`)
  expect(document.querySelector('dialog')).toBeNull()
})

test('the row says what a withdrawal refunds, and by when', async () => {
  const by = '2026-11-15T12:00:00.000Z'
  const texts = {
    all: 'get all your money back.',
    since_switch: 'get back everything you’ve paid for the time since your switch.',
  }
  await openRow('a=b', { status: 'active', withdrawal: null }, 'eu')
  expect(document.body.textContent).not.toContain('you can withdraw')
  document.body.replaceChildren()
  for (const covers of ['all', 'since_switch'] as const) {
    await openRow('a=b', { status: 'active', withdrawal: { by, covers } }, 'eu')
    expect(document.body.textContent).toMatch(/Until .*Nov 15, 2026/)
    expect(document.body.textContent).toContain(`you can withdraw and ${texts[covers]}`)
    await askToCancel()
    const inDialog = texts[covers].slice(0, -1)
    expect(document.querySelector('dialog')?.textContent).toContain(
      `you can withdraw instead and ${inDialog} (link below your subscription).`,
    )
    document.body.replaceChildren()
  }
})

test('before a cancellation, the buyer reads when it takes effect', async () => {
  await openRow('a=b', { status: 'active' })
  await askToCancel()
  expect(document.querySelector('dialog')?.textContent).toContain('You will retain access until the end')
  expect(document.querySelector('dialog')?.textContent).toContain('It ends on November 30, 2026.')
  document.body.replaceChildren()

  // The renewal has begun, but its payment has not been charged yet.
  preview = { endsAt: null, refund: 0 }
  await openRow('a=b', { status: 'active' })
  await askToCancel()
  expect(document.querySelector('dialog')?.textContent).toContain(
    'The open payment won’t be charged anymore, and your access ends immediately.',
  )
})
