import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { accounts } from '#contract/identity/accounts.ts'
import { checkout } from '#contract/selling/checkout.ts'
import { purchases } from '#contract/selling/purchases.ts'
import { reboundSigmaPro } from '#server/testing/book-purchase.ts'
import { compareBooks } from '#server/testing/books.ts'
import { createBuyers } from '#server/testing/buyers.ts'
import { startProcess } from '#server/testing/crashes.ts'
import { openShop, type TestShop } from '#server/testing/open-shop.ts'
import { createVisitor, type Visitor } from '#server/testing/visitor.ts'

let shop: TestShop
beforeAll(async () => {
  shop = await openShop()
})
afterAll(() => shop.close())

const countStripeCustomers = async (email: string) => {
  const { rows } = await shop.connection.db.execute(sql`
    select 1 from sandbox.objects where kind = 'customer' and data->>'email' = ${email}`)
  return rows.length
}

const subjectsTo = async (email: string) =>
  (await shop.mails()).filter(({ to }) => to.includes(email)).map(({ subject }) => subject)

describe('a guest', () => {
  test('pays, is logged in, owns the purchase, and gets one email with the receipt and a link to set a password', async () => {
    const guest = shop.visitor()
    const { email, paymentIntentId } = await shop.guest(guest)
    await shop.logInGuest(guest, { paymentIntentId })
    await shop.confirmPurchase(guest, { paymentIntentId })

    expect(await guest.call(accounts.user, {})).toMatchObject({ email, isAdmin: false })
    expect(await guest.call(purchases.list, {})).toMatchObject([
      { status: 'active', amount: 3900, billingType: 'monthly', user: { email }, paymentIntentId },
    ])
    await shop.settle()
    expect(await subjectsTo(email)).toEqual(['Your receipt: Rebound Sigma Pro'])
  })

  test('who closes the tab still gets an account, the purchase, and the email', async () => {
    const { email } = await shop.guest(shop.visitor())
    await shop.settle()
    expect(await subjectsTo(email)).toEqual(['Your receipt: Rebound Sigma Pro'])
  })

  test('who types the email of an account isn’t logged in, and the purchase goes to its owner', async () => {
    const owner = await shop.verifiedUser()
    const guest = shop.visitor()
    const { paymentIntentId } = await shop.guest(guest, owner.user.email)
    await expect(shop.logInGuest(guest, { paymentIntentId })).rejects.toMatchObject({
      status: 403,
      serverMessage: 'An account with this email exists. Please log in to continue.',
    })
    expect(await guest.call(accounts.user, {})).toBeNull()
    expect(await guest.call(checkout.paid, { paymentIntentId })).toMatchObject({
      billingType: 'monthly',
      paidAmount: 3900,
      nextCharge: { amount: 3900 },
      email: owner.user.email,
      wayIn: 'login',
    })
    await expect(shop.visitor().call(checkout.paid, { paymentIntentId })).rejects.toMatchObject({ status: 404 })
    await shop.confirmPurchase(owner, { paymentIntentId })
    expect(await owner.call(purchases.list, {})).toMatchObject([{ status: 'active', paymentIntentId }])
    const receipt = 'Your receipt: Rebound Sigma Pro'
    expect((await subjectsTo(owner.user.email)).filter((subject) => !subject.startsWith('Welcome'))).toEqual([receipt])
    const receiptMail = (await shop.mails()).find(({ to, subject }) => to === owner.user.email && subject === receipt)
    // The login leads to the page where the owner confirms the username.
    expect(receiptMail?.text).toContain(`/auth?payment_intent=${paymentIntentId}`)
  })

  test('who types an address that a stranger signed up with gets the purchase only by reading that mailbox', async () => {
    const email = 'mine-not-yours@example.com'
    const stranger = await shop.user({ email, name: 'Mallory' })
    await stranger.call(accounts.updateProfile, { tradingViewUsername: 'mallory' })
    const guest = shop.visitor()
    const { paymentIntentId } = await shop.guest(guest, email)
    await expect(shop.logInGuest(guest, { paymentIntentId })).rejects.toMatchObject({
      status: 403,
      serverMessage: 'Please log in to continue. We’ve emailed you how.',
    })
    expect(await guest.call(checkout.paid, { paymentIntentId })).toMatchObject({ wayIn: 'new-link' })

    expect(await stranger.call(accounts.user, {})).toBeNull()
    await expect(stranger.call(accounts.login, { email, password: stranger.password })).rejects.toMatchObject({
      status: 401,
    })
    const receipt = 'Your receipt: Rebound Sigma Pro'
    expect((await subjectsTo(email)).toSorted()).toEqual(['Welcome to Rebound Sigma', receipt])

    const mail = (await shop.mails()).find(({ to, subject }) => to === email && subject === receipt)
    expect(mail?.text).toContain('Someone had already signed up with your email address')
    const link = new URL(/https?:\S+token=\S+/.exec(mail?.text ?? '')?.[0] ?? '')
    expect(link.searchParams.get('payment_intent')).toBe(paymentIntentId)
    const token = link.searchParams.get('token') ?? ''
    await guest.call(accounts.resetPassword, { token, newPassword: 'open sesame' })
    expect(await guest.call(accounts.login, { email, password: 'open sesame' })).toMatchObject({ name: '' })
    expect(await guest.call(accounts.profile, {})).toMatchObject({ name: '', hasPassword: true })
    expect(await guest.call(purchases.list, {})).toMatchObject([{ status: 'active', paymentIntentId }])
  })

  test('with the address of a member of staff leaves that account unchanged', async () => {
    const colleague = await shop.staff('support')
    await shop.guest(shop.visitor(), colleague.user.email)
    await shop.settle()
    expect(await colleague.call(accounts.user, {})).toEqual(colleague.user)
    await colleague.call(accounts.login, { email: colleague.user.email, password: colleague.password })
  })

  test('is logged in only once, only in the browser that paid, and only within an hour', async () => {
    const guest = shop.visitor()
    const { paymentIntentId } = await shop.guest(guest)
    const stranger = shop.visitor()
    const refused = { status: 403, serverMessage: 'Please log in to continue. We’ve emailed you how.' }
    await expect(shop.logInGuest(stranger, { paymentIntentId })).rejects.toMatchObject(refused)
    await shop.guest(stranger)
    await expect(shop.logInGuest(stranger, { paymentIntentId })).rejects.toMatchObject(refused)
    await shop.logInGuest(guest, { paymentIntentId })
    await expect(shop.logInGuest(guest, { paymentIntentId })).rejects.toMatchObject(refused)

    const lateGuest = shop.visitor()
    const paid = await shop.guest(lateGuest)
    await shop.advance(61, 'minute')
    await expect(shop.logInGuest(lateGuest, paid)).rejects.toMatchObject(refused)
    await shop.settle()
    const { paymentIntentId: lateId } = paid
    expect(await lateGuest.call(checkout.paid, { paymentIntentId: lateId })).toMatchObject({ wayIn: 'first-link' })
  })

  test('who pays in two browsers is logged in by the first payment, and the second is refunded', async () => {
    const email = 'two-browsers@example.com'
    const [firstBrowser, secondBrowser] = [shop.visitor(), shop.visitor()]
    const [monthly, yearly] = [
      await shop.begin(firstBrowser, { email }),
      await shop.begin(secondBrowser, { email, billing: 'yearly' }),
    ]
    await shop.pay(monthly)
    await shop.settle()
    await shop.pay(yearly)
    await expect(shop.logInGuest(secondBrowser, yearly)).rejects.toMatchObject({ status: 403 })
    await shop.logInGuest(firstBrowser, monthly)
    expect(await firstBrowser.call(accounts.user, {})).toMatchObject({ email })
    await expect(shop.confirmPurchase(firstBrowser, yearly)).rejects.toMatchObject({
      status: 409,
      serverMessage: 'You already have a subscription. We’re refunding this second payment.',
    })
    await shop.confirmPurchase(firstBrowser, monthly)
  })

  test('gets a new nonce after login, and none of the old nonces logs anyone in after logout', async () => {
    const guest = shop.visitor()
    const firstPayment = await shop.guest(guest)
    const secondPayment = await shop.guest(guest)
    const oldNonce = guest.cookies.get('checkout')
    await shop.logInGuest(guest, firstPayment)
    const newNonce = guest.cookies.get('checkout')
    expect(newNonce).not.toBe(oldNonce)
    await guest.call(accounts.logout, {})
    expect(guest.cookies.has('checkout')).toBe(false)
    for (const nonce of [oldNonce, newNonce]) {
      const thief = shop.visitor()
      thief.cookies.set('checkout', nonce ?? '')
      await expect(shop.logInGuest(thief, secondPayment)).rejects.toMatchObject({ status: 403 })
    }
  })

  test('gets a new nonce in place of one that the shop did not create', async () => {
    const guest = shop.visitor()
    guest.cookies.set('checkout', 'planted')
    await shop.begin(guest, { email: 'planted@example.com' })
    expect(guest.cookies.get('checkout')).not.toBe('planted')
  })

  test('whose account has got a password must log in with it', async () => {
    const guest = shop.visitor()
    const { email, paymentIntentId } = await shop.guest(guest)
    await shop.settle()
    const mail = (await shop.mails()).find(
      ({ to, subject }) => to === email && subject === 'Your receipt: Rebound Sigma Pro',
    )
    const token = /first=1&token=(\S+)/.exec(mail?.text ?? '')?.[1] ?? ''
    await shop.visitor().call(accounts.resetPassword, { token, newPassword: 'open sesame' })
    await expect(shop.logInGuest(guest, { paymentIntentId })).rejects.toMatchObject({
      status: 403,
      serverMessage: 'An account with this email exists. Please log in to continue.',
    })
    expect(await guest.call(accounts.user, {})).toBeNull()
  })

  test('who hasn’t paid is not logged in, and nothing is booked', async () => {
    const guest = shop.visitor()
    const begun = await shop.begin(guest, { email: 'unpaid@example.com' })
    expect(await shop.pay(begun, 'pm_card_visa_chargeDeclined')).toBe('Your card was declined.')
    const { paymentIntentId } = begun
    await expect(shop.logInGuest(guest, { paymentIntentId })).rejects.toMatchObject({ status: 409 })
    await shop.settle()
    expect(await subjectsTo('unpaid@example.com')).toEqual([])
  })

  test('must enter an email', async () => {
    const input = { productSlug: 'rebound-sigma-pro', billingType: 'monthly' as const }
    for (const email of [undefined, null, '', ' '])
      await expect(shop.visitor().call(checkout.createSubscriptionIntent, { ...input, email })).rejects.toMatchObject({
        status: 400,
        serverMessage: 'Please enter your email to continue',
      })
    await expect(
      shop.visitor().call(checkout.createSubscriptionIntent, { ...input, email: 'ada@' }),
    ).rejects.toMatchObject({ status: 400, serverMessage: 'Please enter a valid email address' })
    // A logged-in buyer's email comes from the account, so the form's value is ignored.
    const user = await shop.user()
    for (const email of [null, ''])
      expect(await user.call(checkout.createSubscriptionIntent, { ...input, email })).toMatchObject({ amountDue: 3900 })
  })
})

describe('a payment that Stripe is still processing', () => {
  test('lets a guest wait without an email or an error, and completes once Stripe is done', async () => {
    const guest = shop.visitor()
    const { email, paymentIntentId } = await shop.guest(guest)
    const login = () => guest.send(checkout.guestPurchaseLogin, { paymentIntentId })
    expect(await login()).toMatchObject({ status: 202 })
    expect(await guest.call(accounts.user, {})).toBeNull()
    expect(await subjectsTo(email)).toEqual([])
    await shop.settle()
    expect(await login()).toMatchObject({ status: 200 })
    expect(await guest.callAndCheckDone(checkout.confirm, { paymentIntentId })).toBe(true)
    expect(await guest.call(purchases.list, {})).toMatchObject([{ status: 'active', paymentIntentId }])
  })

  test('is shown to its buyer as processing and can’t be paid twice', async () => {
    const user = await shop.user()
    const begun = await shop.begin(user)
    await shop.pay(begun)
    const { paymentIntentId, clientSecret } = begun
    const confirmed = () => user.send(checkout.confirm, { paymentIntentId })
    expect(await confirmed()).toMatchObject({ status: 202 })
    for (const billingType of ['monthly', 'yearly'] as const)
      expect(
        await user.call(checkout.createSubscriptionIntent, { productSlug: reboundSigmaPro.slug, billingType }),
      ).toEqual({ clientSecret, isPaid: true, amountDue: 3900 })
    await shop.settle()
    expect(await confirmed()).toMatchObject({ status: 200 })
    expect(await user.call(purchases.list, {})).toHaveLength(1)
  })

  test('that was declined stays incomplete', async () => {
    const user = await shop.user()
    const begun = await shop.begin(user)
    await shop.pay(begun, 'pm_card_visa_chargeDeclined')
    const { paymentIntentId } = begun
    await expect(user.call(checkout.confirm, { paymentIntentId })).rejects.toMatchObject({ status: 409 })
  })
})

describe('an unpaid checkout', () => {
  test('stays the same after a reload, for guests and users', async () => {
    const email = 'reload@example.com'
    for (const visitor of [shop.visitor(), await shop.user()]) {
      const first = await shop.begin(visitor, { email })
      expect(await shop.begin(visitor, { email })).toEqual(first)
      const yearly = await shop.begin(visitor, { email, billing: 'yearly' })
      expect(yearly).not.toEqual(first)
    }
  })

  test('of a guest isn’t shared with another guest who types the same email', async () => {
    const email = 'same@example.com'
    const first = await shop.begin(shop.visitor(), { email })
    expect(await shop.begin(shop.visitor(), { email })).not.toEqual(first)
  })

  test('of a guest continues after the server crashed during the first click', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'shop-crash-'))
    const location = { databaseUrl: shop.connection.url, dataDir }
    const crashing = await startProcess(location, { CRASH_AT: 'checkout before commit', TRADINGVIEW: 'off' })
    const email = 'after-a-crash@example.com'
    const { begin } = createBuyers({ url: crashing?.url ?? '', publishableKey: () => shop.sandbox.publishableKey })
    await expect(begin(createVisitor(crashing?.url ?? ''), { email })).rejects.toThrow('fetch failed')

    // PostgreSQL released the crashed process's lock with its session.
    await using restarted = await openShop({ databaseUrl: shop.connection.url })
    expect((await restarted.begin(restarted.visitor(), { email })).clientSecret).toMatch(/^pi_/)
    rmSync(dataDir, { recursive: true, force: true })
  })

  test('of a user is created once, however many clicks arrive at once', async () => {
    const user = await shop.user()
    const begun = await Promise.all(Array.from({ length: 8 }, () => shop.begin(user)))
    expect(new Set(begun.map(({ clientSecret }) => clientSecret)).size).toBe(1)
  })

  test('of a guest is created once when the first two clicks arrive at once, in one process or two', async () => {
    await using secondProcess = await openShop({ databaseUrl: shop.connection.url })
    /** Tries again if the first click was answered before the second one arrived, as may happen on a busy machine. */
    const clickAtOnce = async (
      processOfSecondClick: TestShop,
      tries = 1,
    ): Promise<{ email: string; clicks: Visitor[] }> => {
      const email = `two-clicks-${processOfSecondClick === shop}-${tries}@example.com`
      const clicks = [shop.visitor(), processOfSecondClick.visitor()]
      const answers = await Promise.allSettled(clicks.map((click) => shop.begin(click, { email })))
      const refusals = answers.filter((answer) => answer.status === 'rejected').map(({ reason }) => reason)
      if (refusals.length === 0 && tries < 10) return clickAtOnce(processOfSecondClick, tries + 1)
      expect(refusals).toMatchObject([{ status: 409, code: 'changed-meanwhile' }])
      return { email, clicks }
    }
    for (const processOfSecondClick of [shop, secondProcess]) {
      const { email, clicks } = await clickAtOnce(processOfSecondClick)
      // The browser repeats the other click with the cookie from the first response.
      const guest = clicks.find(({ cookies }) => cookies.has('checkout')) ?? shop.visitor()
      const begun = await shop.begin(guest, { email })
      expect(await countStripeCustomers(email)).toBe(1)
      await shop.pay(begun)
      await shop.logInGuest(guest, begun)
      expect(await guest.call(accounts.user, {})).toMatchObject({ email })
    }
  })
})

describe('a new checkout', () => {
  const stateOf = async ({ paymentIntentId }: { paymentIntentId: string }) => {
    const { rows } = await shop.connection.pool.query<{ status: string }>(
      `select data->>'status' status from sandbox.objects
       where id = (select subscription_id from orders where payment_intent_id = $1)`,
      [paymentIntentId],
    )
    return rows[0]?.status
  }

  test('cancels the earlier unpaid one of the same account or browser at Stripe', async () => {
    const checkouts = [
      { visitor: await shop.user(), firstInput: {}, secondInput: {} },
      // A guest may type another address the second time.
      { visitor: shop.visitor(), firstInput: { email: 'one@example.com' }, secondInput: { email: 'two@example.com' } },
    ]
    for (const { visitor, firstInput, secondInput } of checkouts) {
      const first = await shop.begin(visitor, firstInput)
      const second = await shop.begin(visitor, { billing: 'yearly', ...secondInput })
      expect(await stateOf(first)).toMatch(/^(canceled|incomplete_expired)$/)
      expect(await stateOf(second)).toBe('incomplete')
      expect(await shop.pay(first)).not.toMatch(/succeeded|processing/)
      await expect(visitor.call(checkout.agree, { paymentIntentId: first.paymentIntentId })).rejects.toMatchObject({
        status: 409,
        code: 'changed-meanwhile',
      })
      expect(await shop.begin(visitor, { billing: 'yearly', ...secondInput })).toEqual(second)
    }
  })

  test('doesn’t cancel another browser’s checkout with the same typed address', async () => {
    const email = `typed-${crypto.randomUUID()}@example.com`
    const first = await shop.begin(shop.visitor(), { email })
    await shop.begin(shop.visitor(), { email })
    expect(await stateOf(first)).toBe('incomplete')
  })

  test('that is refused leaves the earlier checkout open', async () => {
    const buyer = await shop.user()
    const first = await shop.begin(buyer)
    await expect(shop.begin(buyer, { code: 'NO-SUCH-CODE' })).rejects.toMatchObject({ code: 'code-refused' })
    expect(await stateOf(first)).toBe('incomplete')
  })
})

describe('a second subscription', () => {
  test('is refused to a buyer, and to a guest with their email', async () => {
    const buyer = await shop.buyer()
    await expect(shop.begin(buyer)).rejects.toMatchObject({
      status: 409,
      serverMessage: 'You already have a subscription to Rebound Sigma Pro. You can manage it on your dashboard.',
    })
    await expect(shop.begin(shop.visitor(), { email: buyer.user.email })).rejects.toMatchObject({ status: 409 })
  })

  test('that was paid as a guest in another browser is cancelled and fully refunded', async () => {
    const user = await shop.verifiedUser()
    const { email } = user.user
    const [monthly, yearly] = [await shop.begin(user), await shop.begin(shop.visitor(), { email, billing: 'yearly' })]
    expect(await shop.pay(monthly)).toBe('succeeded')
    expect(await shop.pay(yearly)).toBe('succeeded')
    await shop.settle()
    await shop.settle()
    const bought = await user.call(purchases.list, {})
    const [active, duplicate] = bought.toSorted((a, b) => a.status.localeCompare(b.status))
    expect(active).toMatchObject({ status: 'active', refundedAmount: 0 })
    expect(duplicate).toMatchObject({
      status: 'cancelled',
      endedBecause: 'duplicate',
      refundedAmount: duplicate?.amount,
    })
    expect(await subjectsTo(user.user.email)).toContain('We’re refunding your second payment')
  })
})

test('a page that shows an outdated price gets the present one, and no checkout begins', async () => {
  const email = 'old-page@example.com'
  const guest = shop.visitor()
  const begin = (amount: number) =>
    guest.call(checkout.createSubscriptionIntent, {
      productSlug: reboundSigmaPro.slug,
      billingType: 'monthly',
      email,
      amount,
    })
  const changed = {
    status: 409,
    code: 'price-changed',
    serverMessage: 'The price has changed to $39.00',
    currentAmount: 3900,
  }
  await expect(begin(3500)).rejects.toMatchObject(changed)
  expect(await countStripeCustomers(email)).toBe(0)
  const begun = await begin(3900)
  expect(begun).toMatchObject({ amountDue: 3900 })
  await expect(begin(3500)).rejects.toMatchObject(changed)
  expect(await begin(3900)).toEqual(begun)
})

test('a first payment that a credit would cover starts no subscription, and the credit stays', async () => {
  const user = await shop.user()
  await shop.begin(user)
  const { rows } = await shop.connection.db.execute<{ id: string }>(sql`
    select id from sandbox.objects where kind = 'customer' and data->>'email' = ${user.user.email}`)
  await shop.sandbox.controls.dashboard.giveCredit(rows[0]?.id ?? '', 5000)
  for (let click = 1; click <= 2; click++) {
    // An unpaid checkout is reused for 22 hours.
    shop.clock.advance({ hours: 22.5 })
    await expect(shop.begin(user)).rejects.toMatchObject({ status: 409, code: 'nothing-due' })
  }
  const { rows: subscriptions } = await shop.connection.db.execute(sql`
    select o.data->>'status' as status, c.data->>'balance' as balance
    from sandbox.objects o join sandbox.objects c on c.id = o.data->>'customer'
    where o.kind = 'subscription' and c.id = ${rows[0]?.id} order by o.seq`)
  expect(subscriptions).toEqual([
    { status: 'incomplete', balance: '-5000' },
    { status: 'canceled', balance: '-5000' },
    { status: 'canceled', balance: '-5000' },
  ])
  expect(await user.call(purchases.list, {})).toEqual([])
  const metrics = await (await fetch(new URL('/metrics', shop.url))).text()
  expect(metrics).toContain('shop_stripe_faults_total{type="NothingDue"} 2')
})

test('another person’s email in a logged-in buyer’s request is ignored', async () => {
  const victim = await shop.user()
  const user = await shop.user()
  const begun = await shop.begin(user, { email: victim.user.email })
  await shop.pay(begun)
  await shop.settle()
  expect(await victim.call(purchases.list, {})).toEqual([])
  expect(await user.call(purchases.list, {})).toHaveLength(1)
})

test('nobody can confirm a stranger’s payment', async () => {
  const buyer = await shop.buyer()
  const stranger = await shop.user()
  await expect(
    stranger.call(checkout.confirm, { paymentIntentId: buyer.purchase.paymentIntentId ?? '' }),
  ).rejects.toMatchObject({ status: 404 })
})

test('someone who logs in after paying as a guest can confirm right away', async () => {
  const owner = await shop.verifiedUser()
  await shop.sandbox.controls.webhooks.behave({ delaySeconds: 3600 })
  const { paymentIntentId } = await shop.guest(shop.visitor(), owner.user.email)
  const stranger = await shop.user()
  await expect(stranger.call(checkout.confirm, { paymentIntentId })).rejects.toMatchObject({ status: 404 })
  await shop.confirmPurchase(owner, { paymentIntentId })
  expect(await owner.call(purchases.list, {})).toMatchObject([{ status: 'active', paymentIntentId }])
  await shop.sandbox.controls.webhooks.behave({})
})

describe('a price at Stripe', () => {
  const setPrice = (isolatedShop: TestShop, change: object) =>
    isolatedShop.connection.db.execute(sql`
      update sandbox.objects set data = data || ${JSON.stringify(change)}::jsonb
      where kind = 'price' and data->>'lookup_key' = 'rebound-sigma-pro-monthly'`)
  const prices = async (isolatedShop: TestShop) => {
    const { rows } = await isolatedShop.connection.db.execute<{ amount: number; key: string | null }>(sql`
      select (data->>'unit_amount')::int as amount, data->>'lookup_key' as key
      from sandbox.objects where kind = 'price' and data->'recurring'->>'interval' = 'month' order by seq`)
    return rows
  }

  test('that differs from the catalog is replaced by a new one; existing subscribers keep theirs', async () => {
    await using isolatedShop = await openShop()
    await setPrice(isolatedShop, { unit_amount: 4100 })
    const guest = isolatedShop.visitor()
    const input = { productSlug: reboundSigmaPro.slug, billingType: 'monthly', email: 'b@example.com' } as const
    expect(await guest.call(checkout.createSubscriptionIntent, input)).toMatchObject({ amountDue: 4100 })
    const begun = await isolatedShop.begin(guest, input)
    await isolatedShop.pay(begun)
    await isolatedShop.logInGuest(guest, begun)
    expect(await guest.call(purchases.list, {})).toMatchObject([{ amount: 4100 }])
    expect(await guest.call(accounts.myData, {})).toMatchObject({ orders: [{ amountDueInCents: 4100 }] })

    await using restarted = await openShop({ databaseUrl: isolatedShop.connection.url })
    const newBuyer = await restarted.buyer()
    expect(newBuyer.purchase).toMatchObject({ amount: 3900 })
    expect(await prices(isolatedShop)).toEqual([
      { amount: 4100, key: null },
      { amount: 3900, key: 'rebound-sigma-pro-monthly' },
    ])
    await restarted.advance(1, 'month')
    // Either of the two processes may have received the renewal's event.
    await isolatedShop.settle()
    const { booked, wanted } = await compareBooks(restarted)
    expect(booked).toEqual(wanted)
    expect(new Set(booked.map(({ price }) => price))).toEqual(new Set([3900, 4100]))
  })

  test('that was archived keeps its lookup key and blocks neither startup nor buyers', async () => {
    await using isolatedShop = await openShop()
    await setPrice(isolatedShop, { active: false })
    await isolatedShop.buyer()
    await setPrice(isolatedShop, { active: false })
    await using restarted = await openShop({ databaseUrl: isolatedShop.connection.url })
    await restarted.buyer()
    expect(await prices(isolatedShop)).toEqual([
      { amount: 3900, key: null },
      { amount: 3900, key: null },
      { amount: 3900, key: 'rebound-sigma-pro-monthly' },
    ])
  })
})
