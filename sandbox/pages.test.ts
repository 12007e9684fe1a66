import { expect, test } from 'vitest'
import { openTestSandbox } from './testing/open-test-sandbox.ts'

const textOf = async (url: string) => (await fetch(url)).text()

test('a hosted invoice says who paid what, and nobody can guess its address', async () => {
  const { stripe, buy, publicUrl } = await openTestSandbox()
  const { invoice } = await buy('pm_card_visa', { customer: { name: '<b>Zoë & Co</b>', email: 'zoe@example.com' } })
  const { hosted_invoice_url: url, number } = await stripe.invoices.retrieve(invoice.id)
  expect(url).toMatch(new RegExp(`^${publicUrl}/_sandbox/invoices/${invoice.id}/[A-Za-z0-9]{40}$`))
  const response = await fetch(url ?? '')
  const text = await response.text()
  const shownTexts = [number, 'Rebound Sigma Pro', '$39.00', 'Paid', 'visa ending in 4242', '&lt;b&gt;Zoë &amp; Co']
  for (const shownText of shownTexts) expect(text).toContain(shownText)
  expect(text).not.toContain('<b>')
  expect(response.headers.get('content-security-policy')).toContain("script-src 'self'")
  expect(response.headers.get('referrer-policy')).toBe('no-referrer')
  expect((await fetch(`${publicUrl}/_sandbox/invoices/${invoice.id}/guess`)).status).toBe(404)
  expect((await fetch(`${url}x`)).status).toBe(404)
})

test('the PDF of an invoice is valid: one page, readable text, and a table that points to every object', async () => {
  const { stripe, buy, sandbox } = await openTestSandbox()
  const { invoice, intent } = await buy('pm_card_visa', {
    customer: { name: 'Zoë (Ltd) 日本', email: 'zoe@example.com' },
  })
  await sandbox.controls.refund(intent, 900)
  const { invoice_pdf: url, number } = await stripe.invoices.retrieve(invoice.id)
  const response = await fetch(url ?? '')
  expect(response.headers.get('content-type')).toBe('application/pdf')
  expect(response.headers.get('content-disposition')).toContain(`Invoice-${number}.pdf`)
  const file = Buffer.from(await response.arrayBuffer()).toString('latin1')
  expect(file.startsWith('%PDF-1.4')).toBe(true)
  expect(file.trimEnd().endsWith('%%EOF')).toBe(true)
  // The PDF has octal codes for umlauts and parentheses, and `?` for characters that are not in Latin-1.
  for (const shownText of [number, '$39.00', '-$9.00', '$30.00', 'Zo\\353 \\050Ltd\\051 ??'])
    expect(file).toContain(shownText)
  const tableStart = Number(/startxref\n(\d+)/.exec(file)?.[1])
  const offsets = [...file.slice(tableStart).matchAll(/^(\d{10}) 00000 n $/gm)].map((match) => Number(match[1]))
  expect(offsets).toHaveLength(5)
  for (const [index, offset] of offsets.entries()) {
    expect(file.slice(offset).startsWith(`${index + 1} 0 obj`)).toBe(true)
  }
  const stream = /\/Length (\d+) >>\nstream\n([\s\S]*?)\nendstream/.exec(file)
  expect(stream?.[2]?.length).toBe(Number(stream?.[1]))
})

test('the control page shows the clock, subscriptions, invoices and the webhook log', async () => {
  const { buy, publicUrl, sandbox } = await openTestSandbox()
  const { subscription } = await buy('pm_card_visa', { customer: { email: 'one@example.com' } })
  await buy('pm_card_visa', { customer: { email: 'two@example.com' } })
  await sandbox.controls.webhooks.flush()
  const page = await textOf(`${publicUrl}/_sandbox/`)
  for (const shownText of [subscription.id, 'one@example.com', 'two@example.com', 'invoice.paid', 'delivered'])
    expect(page).toContain(shownText)
  const searchResult = await textOf(`${publicUrl}/_sandbox/?q=ONE@`)
  expect(searchResult).toContain('one@example.com')
  expect(searchResult).not.toContain('two@example.com')
  expect(await textOf(`${publicUrl}/_sandbox/?q=%25`)).not.toContain('one@example.com')
})

test('the buttons of the control page are refused from other origins', async () => {
  const { stripe, buy, publicUrl } = await openTestSandbox()
  const { intent } = await buy()
  const press = (headers: Record<string, string>, kind = 'payment_intent', action = 'Refund') =>
    fetch(`${publicUrl}/_sandbox/controls/${kind}`, {
      method: 'POST',
      body: new URLSearchParams({ action, id: intent }),
      headers,
      redirect: 'manual',
    })
  expect((await press({ 'sec-fetch-site': 'cross-site' })).status).toBe(403)
  expect((await press({ 'sec-fetch-site': 'same-site' })).status).toBe(403)
  expect((await press({ origin: 'https://evil.example' })).status).toBe(403)
  expect((await press({})).status).toBe(403)
  expect((await stripe.refunds.list()).data).toEqual([])

  const firstPress = await press({ origin: publicUrl })
  expect([firstPress.status, firstPress.headers.get('location')]).toEqual([303, '/_sandbox/?done'])
  expect((await stripe.refunds.list()).data).toHaveLength(1)
  const secondPress = await press({ 'sec-fetch-site': 'same-origin' })
  expect(secondPress.status).toBe(400)
  expect(await secondPress.text()).toContain('has already been refunded')
  expect((await press({ origin: publicUrl }, 'nonsense')).status).toBe(404)
  expect((await press({ origin: publicUrl }, 'sandbox', 'Advance 1 century')).status).toBe(400)
})

test('each of Stripe’s quirks has a switch on the page', async () => {
  const { stripe, buy, pay, publicUrl } = await openTestSandbox()
  const { subscription, intent } = await buy()
  const refund = await stripe.refunds.create({ payment_intent: intent, amount: 100 })
  const press = async (action: string, fields: Record<string, string>) => {
    const { status } = await fetch(`${publicUrl}/_sandbox/controls/${action}`, {
      method: 'POST',
      body: new URLSearchParams(fields),
      headers: { origin: publicUrl },
      redirect: 'manual',
    })
    expect(status).toBe(303)
  }
  await press('refund', { action: 'Fail refund', id: refund.id })
  expect((await stripe.refunds.retrieve(refund.id)).status).toBe('failed')
  await press('subscription', { action: 'Cancel in portal', id: subscription.id })
  await press('subscription', { action: 'Pause', id: subscription.id })
  const changed = await stripe.subscriptions.retrieve(subscription.id)
  expect(changed).toMatchObject({ status: 'paused', cancel_at: expect.any(Number), cancel_at_period_end: false })
  const { price } = subscription.items.data[0] ?? {}
  await press('price', { action: 'Archive', id: price?.id ?? '' })
  expect((await stripe.prices.retrieve(price?.id ?? '')).active).toBe(false)
  for (const [status, button] of [
    [400, 'Next request: 400, without a code'],
    [429, 'Next request: 429'],
    [500, 'Next request: 500'],
  ] as const) {
    await press('sandbox', { action: button })
    await expect(stripe.customers.create()).rejects.toMatchObject({ statusCode: status })
  }
  await press('behave', { 'The secret key': 'was rolled' })
  await expect(stripe.customers.list()).rejects.toMatchObject({ statusCode: 401 })
  await press('behave', { 'The secret key': 'works', 'A payment’s subscription follows': 'within a minute' })
  expect(await textOf(`${publicUrl}/_sandbox/`)).toContain('<option value="within a minute" selected>')
  const { id } = (await pay()).subscription
  expect((await stripe.subscriptions.retrieve(id)).status).toBe('incomplete')
  await press('sandbox', { action: 'Finish payments' })
  expect((await stripe.subscriptions.retrieve(id)).status).toBe('active')
  await press('behave', { Delay: '10 minutes', 'Events are': 'lost', 'Events sent twice': 'all' })
  const readSelected = async () => (await textOf(`${publicUrl}/_sandbox/`)).match(/(?<=value=")[^"]+(?=" selected)/g)
  expect(await readSelected()).toEqual(expect.arrayContaining(['10 minutes', 'lost', 'all']))
  await press('sandbox', { action: 'Behave as usual' })
  expect(await readSelected()).toEqual(expect.arrayContaining(['sent', '1 in 10']))
})

test('the sandbox does not answer requests for other paths', async () => {
  const { publicUrl } = await openTestSandbox()
  expect((await fetch(`${publicUrl}/_sandbox/nonsense`)).status).toBe(404)
  expect((await fetch(`${publicUrl}/_sandboxed`)).status).toBe(400)
  expect((await fetch(`${publicUrl}/_sandbox`)).url).toBe(`${publicUrl}/_sandbox/`)
})

test('the shop decides who may use the controls', async () => {
  const { sandbox, options } = await openTestSandbox()
  expect(sandbox.controls).toBeDefined()
  const { openSandbox } = await import('./sandbox.ts')
  const { createServer } = await import('node:http')
  const guarded = await openSandbox({ ...options, mayControl: (request) => request.headers.cookie === 'admin' })
  const server = createServer((request, response) => void guarded.browser(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  expect((await fetch(`http://127.0.0.1:${port}/_sandbox/`)).status).toBe(404)
  expect((await fetch(`http://127.0.0.1:${port}/_sandbox/`, { headers: { cookie: 'admin' } })).status).toBe(200)
  expect((await fetch(`http://127.0.0.1:${port}/_sandbox/stripe.js`)).status).toBe(200)
  await new Promise((resolve) => {
    server.close(resolve)
    server.closeAllConnections()
  })
  await guarded.close()
})
