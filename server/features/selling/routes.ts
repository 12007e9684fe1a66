import { contract } from '#contract/index.ts'
import { soldPlans, wirePrices } from '#contract/plans.ts'
import type { Context } from '#server/context.ts'
import { notFound, Refusal } from '#server/errors.ts'
import type { StripeEvent } from '#server/gateways/stripe.ts'
import type { Doors } from '#server/http/mount.ts'
import type { Identity } from '../identity/identity.ts'
import type { Selling } from './selling.ts'

type Wings = { identity: Identity; selling: Selling }

export async function mountSelling(doors: Doors, context: Context, { identity, selling }: Wings) {
  const { mount, pages, checkoutCookie: cookie } = doors
  const { catalog, securityLog } = context
  const { checkout, customers, declarations, prices, purchases } = selling
  const { ending, switching, invoices, card, administration, refunds, sellerEnding, unpaid } = purchases
  const { takeover } = purchases

  async function listCatalog() {
    const shown = await prices.shown()
    return catalog.onSale().flatMap(({ id, name, slug }) => {
      const price = shown[slug]
      if (!price) return []
      const amounts = Object.fromEntries(soldPlans(price).map(({ key, price: { amount } }) => [key, amount]))
      return [{ id, name, slug, ...wirePrices(amounts), prices: amounts }]
    })
  }

  mount(contract.catalog, {
    list: listCatalog,
    async product({ slug }) {
      const product = (await listCatalog()).find((candidate) => candidate.slug === slug)
      if (!product) throw notFound('Product')
      return product
    },
    page: ({ slug }) => {
      const product = catalog.bySlug(slug)
      if (product?.state !== 'on sale') throw notFound('Product')
      return product.text
    },
  })
  mount(contract.termsInForce, { show: ({ version }) => checkout.terms(version) })
  mount(contract.prices, {
    adminProducts: () => catalog.products().map(({ listed, ...product }) => ({ ...product, ...listed })),
    adminList: () => prices.list(),
    async adminPublish(wish, { actor }) {
      await prices.publish(actor, wish)
      await pages.refresh()
    },
  })
  mount(contract.codes, {
    adminList: () => selling.codeAdministration.list(),
    adminAdd: (wish, { actor }) => selling.codeAdministration.add(actor, wish),
    adminStop: ({ id }, { actor }) => selling.codeAdministration.stop(actor, id),
  })
  mount(contract.checkout, {
    createSubscriptionIntent: async (wish, { actor, request, reply }) => {
      const { nonce, ...begun } = await checkout.begin(actor, cookie.read(request), wish)
      if (nonce) cookie.set(reply, nonce)
      return begun
    },
    quote: (wish, { actor }) => checkout.quote(actor, wish),
    agree: (agreed, { actor, request }) => checkout.agree(actor, cookie.read(request), agreed),
    guestPurchaseLogin: async ({ paymentIntentId }, { actor, request, reply }) => {
      const authenticated = await checkout.loginOfGuest(cookie.read(request), paymentIntentId)
      if (authenticated === 'not yet') return authenticated
      await identity.beginSession(authenticated, { actor, request, reply })
      securityLog('guest login', { ...actor, user: { id: authenticated.userId } })
      cookie.set(reply, authenticated.newNonce)
      return 'done'
    },
    paid: ({ paymentIntentId }, { request }) => checkout.paid(cookie.read(request), paymentIntentId),
    confirm: ({ paymentIntentId }, { actor }) => checkout.confirm(actor, paymentIntentId),
  })
  mount(contract.billing, {
    details: (_input, { actor }) => customers.billingDetailsOf(actor.user.id),
    save: (details, { actor }) => customers.saveBillingDetails(actor, details),
  })
  mount(contract.purchases, {
    list: (page, { actor }) => purchases.list(actor.user.id, page),
    async cancel({ id }, { actor }) {
      const isDone = context.paymentAccount.isKnown()
      await (isDone ? ending.cancel(actor, id) : declarations.cancelLater(actor, id))
      return { isDone }
    },
    cancellation: ({ id }, { actor }) => ending.preview(actor.user.id, id),
    nextCharge: ({ id }, { actor }) => purchases.nextCharge(actor.user.id, id),
    giveReason: ({ id, reason, comment }, { actor }) => ending.giveReason(actor, id, reason, comment ?? ''),
    resume: ({ id }, { actor }) => ending.resume(actor, id),
    invoice: ({ id }, { actor }) => invoices.latest(actor.user.id, id),
    invoices: ({ id }, { actor }) => invoices.list(actor.user.id, id),
    document: ({ document }, { actor }) => invoices.linksOf(actor.user.id, document),
    openInvoice: (link) => invoices.open(link),
    beginCardUpdate: ({ id }, { actor }) => card.begin(actor, id),
    switchOffer: ({ id }, { actor }) => switching.offer(actor.user.id, id),
    switch: ({ id, at, ...order }, { actor }) => switching.order(actor, id, { ...order, at: new Date(at) }),
    finishSwitch: ({ id, giveUp }, { actor }) => switching.finish(actor, id, giveUp),
    finishCardUpdate: ({ id, setupIntentId }, { actor }) => card.finish(actor, id, setupIntentId),
    adminList: (page) => administration.list(page),
    adminAdd: ({ endsAt, ...booking }, { actor }) =>
      administration.add(actor, { ...booking, ...(endsAt ? { endsAt: new Date(endsAt) } : {}) }),
    adminCancel: ({ id, refund }, { actor }) => sellerEnding.cancel(actor, id, refund),
    adminCancelAtPeriodEnd: ({ id }, { actor }) => sellerEnding.cancelAtPeriodEnd(actor, id),
    adminCancellation: ({ id }) => sellerEnding.preview(id),
    adminRetryPayment: ({ id }, { actor }) => unpaid.retry(actor, id),
    adminSendPayLink: ({ id }, { actor }) => unpaid.sendLink(actor, id),
    adminResume: ({ id }, { actor }) => sellerEnding.resume(actor, id),
    adminDelete: ({ id }, { actor }) => administration.remove(actor, id),
    adminSettleRefunds: ({ id, amount }, { actor }) => administration.settleRefunds(actor, id, amount),
    adminKeepAfterLoss: ({ id, amount }, { actor }) => administration.keepAfterLoss(actor, id, amount),
    adminSettleWarning: ({ id, decision }, { actor }) => administration.settleWarning(actor, id, decision),
    adminExtend: ({ id, until }, { actor }) => administration.extend(actor, id, until),
    adminRefundable: ({ id }) => refunds.refundable(id),
    adminRefund: ({ id, ...wanted }, { actor }) => refunds.refund(actor, id, wanted),
  })
  mount(contract.takeover, {
    adminList: () => takeover.list(),
    adminSetPlan: ({ id, plan }, { actor }) => takeover.setPlan(actor, id, plan),
    adminTakeOver: ({ ids, invite }, { actor }) => takeover.takeOver(actor, ids, invite),
  })
  await mountWebhook(doors, context, selling)
  mount(contract.declarations, {
    withdraw: (declared, { actor }) => declarations.withdraw(actor, declared),
    cancel: (declared, { actor }) => declarations.cancel(actor, declared),
    confirm: ({ id, token }) => declarations.confirm(id, token),
    adminList: (page) => declarations.administration.list(page),
    adminCarryOut: ({ id }, { actor }) => declarations.administration.carryOut(actor, id),
    adminClose: ({ id, outcome }, { actor }) => declarations.administration.close(actor, id, outcome),
  })
  mount(contract.stripeSetup, { adminCheck: () => selling.stripeSetup.check() })
}

const bodyLimit = 1024 * 1024

/** Stripe's own call. Its signature covers the raw bytes, so they are not parsed before it is checked. */
async function mountWebhook({ app }: Doors, { stripe, paymentAccount }: Context, { purchases }: Selling) {
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
    scope.route({
      method: 'POST',
      url: '/api/webhooks/stripe',
      bodyLimit,
      config: { perMinute: false },
      handler: async ({ body, headers: { 'stripe-signature': signature } }) => {
        const event = readSigned(body, signature)
        // Another account's event must not be kept; Stripe sends it again.
        if (!paymentAccount.isKnown()) throw new Refusal(503, 'payments-away', 'Please send this event again later')
        await purchases.inbox.receive(event)
        return { received: true }
      },
    })
  })

  function readSigned(body: unknown, signature: string | string[] | undefined): StripeEvent {
    if (Buffer.isBuffer(body) && typeof signature === 'string')
      try {
        return stripe.events.read(body, signature)
      } catch {}
    throw new Refusal(400, 'not-signed', 'This event is not signed by Stripe')
  }
}
