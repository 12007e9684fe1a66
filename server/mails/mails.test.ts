import fc from 'fast-check'
import { expect, test } from 'vitest'
import { piecesOf } from '#contract/selling/legal/text.ts'
import { renderHtml, renderText } from './layout.ts'
import { samples } from './samples.ts'
import { greeting, type Template } from './template.ts'
import { templates } from './templates.ts'

const site = {
  publicUrl: 'https://shop.example',
  supportEmail: 'support@shop.example',
  sender: 'Ada <Lovelace> & Co, Solothurn',
  party: { name: 'Ada Seller', address: [], phone: '', email: 'help@example.com', publicUrl: 'https://shop.example' },
  consumerLaw: 'eu' as const,
  taxNote: '',
  productsOnSale: [],
  law: { law: 'Swiss law', venue: 'Solothurn, Switzerland' },
  linkToken: (purpose: string, id: string) => `${purpose}.${id}`,
}
const examples = Object.entries(samples).flatMap(([kind, list]) =>
  list.map((data: object, index) => ({ kind: kind as keyof typeof templates, index, data })),
)
const write = (kind: keyof typeof templates, data: unknown) => (templates[kind] as Template<unknown>)(data, site)

test.for(examples)('$kind $index has a short subject and only links to us or Stripe', ({ kind, data }) => {
  const content = write(kind, data)
  expect(content.subject.length).toBeLessThanOrEqual(78)
  for (const [, url = ''] of renderHtml(content, site).matchAll(/href="([^"]*)"/g))
    expect(url).toMatch(/^(https:\/\/(shop\.example|\w+\.stripe\.com)(\/|$)|mailto:)/)
})

test.for(examples)('$kind $index says the same in its text and HTML parts', ({ kind, data }) => {
  const content = write(kind, data)
  const text = renderText(content, site)
  const { subject, paragraphs, details = [], action, footnote } = content
  const footnotePieces = piecesOf(footnote || '').map((piece) => piece.text)
  for (const expectedText of [subject, ...paragraphs, ...details.flat(), ...(action || []), ...footnotePieces])
    expect(text).toContain(expectedText || '')
})

const typedFields = new Set([
  'name',
  'firstName',
  'lastName',
  'message',
  'reason',
  'tradingViewUsername',
  'userAgent',
  'email',
])

test('nothing people type becomes HTML', () => {
  const anything = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 60 }),
    fc.constantFrom(
      '<img src=x onerror=alert(1)>',
      '"><script>alert(1)</script>',
      "' onload='x",
      '&lt;b&gt;',
      '</style>',
    ),
  )
  fc.assert(
    fc.property(fc.constantFrom(...examples), anything, ({ kind, data }, text) => {
      const markedData = Object.fromEntries(
        Object.entries(data).map(([field, value]) => [field, typedFields.has(field) ? `«${text}»` : value]),
      )
      const html = renderHtml(write(kind, markedData), site)
      for (const [, inside = ''] of html.matchAll(/«([^»]*)/g))
        expect(inside.replaceAll('<br>', '')).not.toMatch(/[<>"]/)
      expect(html.match(/<(script|img|iframe|svg)\b/gi)).toBeNull()
    }),
    { numRuns: 500 },
  )
})

/** Written by the shop or the seller. All other fields may contain a stranger's words. */
const trustedFields = new Set(
  'id tokenId customerId purchaseId invoiceId paymentIntentId newsTo unsubscribeId product slug billingType period shorter refusal card kind role what because why answer code subject preheader markdown email ip at paidAt renewsAt expiresAt endsAt endsOn returnPath until since dueAt declaredAt'.split(
    ' ',
  ),
)
const kindsWithSellerReason = new Set(['reviewHidden', 'accessDeclined'])

test.for(examples)(
  '$kind $index shows text that strangers typed only as a quote or without links',
  ({ kind, data }) => {
    const hostile = 'Your session has ended.\nLog in: https://evil.example/login or www.evil.example'
    const isTrusted = (field: string) =>
      trustedFields.has(field) || (kindsWithSellerReason.has(kind) && field === 'reason')
    const hostileData: Record<string, unknown> = { ...data }
    for (const [field, value] of Object.entries(data))
      if (typeof value === 'string' && !isTrusted(field)) hostileData[field] = hostile
    const content = write(kind, hostileData)
    expect(content.subject).not.toMatch(/\n|evil\.example/)
    const html = renderHtml(content, site).replaceAll(/<blockquote.*?<\/blockquote>/gs, '')
    expect(html).not.toContain('evil.example')
    expect(html).not.toContain('Your session has ended.<br>')
  },
)

test('a name that a mail program would turn into a link is left out of the greeting', () => {
  expect(greeting('Ada')).toBe('Hello Ada,')
  expect(greeting('evil.example')).toBe('Hello,')
})

const textOf = (kind: keyof typeof templates, data: unknown) => renderText(write(kind, data), site)

test('the email about TradingView’s lists says “fixed” only about differences that were fixed', () => {
  const none = { missing: 0, wrong: 0, ended: 0, foreign: 0, blockedRemovals: 0, people: 83 }
  const textOfComparison = (counts: object) => textOf('tradingViewDifferences', { ...none, ...counts })
  expect(textOfComparison({ missing: 2, mode: 'full' })).toMatch(/2 fixes[^]*fixed the differences\./)
  expect(textOfComparison({ ended: 41, blockedRemovals: 41, mode: 'full' })).not.toContain('fixed')
  expect(textOfComparison({ ended: 3, mode: 'dry' })).toMatch(/3 differences[^]*changed nothing/)
  expect(textOfComparison({ ended: 3, mode: 'grant' })).toMatch(/3 differences[^]*removes no one/)
})

test('the receipt for a good cause speaks of no link, because a person decides', () => {
  const [, , , forCause] = samples.declarationReceived
  expect(forCause).toMatchObject({ forCause: true })
  expect(textOf('declarationReceived', forCause)).not.toContain('link')
})

test('the email about a dispute promises only the access that is paid for', () => {
  const [dispute] = samples.disputeOpened
  expect(textOf('disputeOpened', dispute)).toContain('keeps access for the time already paid')
})
