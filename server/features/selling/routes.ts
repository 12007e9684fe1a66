import { contract } from '#contract/index.ts'
import { type Prices as PlanPrices, plansWithPrice, wirePrices } from '#contract/plans.ts'
import type { Context } from '#server/context.ts'
import { notFound, Refusal } from '#server/errors.ts'
import type { StripeEvent } from '#server/gateways/stripe.ts'
import type { Http } from '#server/http/mount.ts'
import type { Identity } from '../identity/identity.ts'
import type { Selling } from './selling.ts'

type RouteContext = Pick<Context, 'catalog' | 'paymentAccount' | 'securityLog' | 'stripe'>
type Areas = { identity: Pick<Identity, 'beginSession'>; selling: Selling }

export async function mountSelling(http: Http, context: RouteContext, { identity, selling }: Areas) {
  const { mount, pages, checkoutCookie: cookie } = http
  const { catalog, securityLog } = context
  const { bookings, checkout, customers, declarations, invoices, prices, purchases, subscriptions } = selling
  const { cancellation, cardUpdate, refunds, sellerActions, switching, takeover, unpaid } = subscriptions

  async function listCatalog() {
    const pricesBySlug = await prices.forPages()
    return catalog.productsOnSale().map(({ id, name, slug }) => {
      const amounts: PlanPrices = {}
      for (const { key, price } of plansWithPrice(pricesBySlug[slug] ?? {})) amounts[key] = price.amount
      return { id, name, slug, ...wirePrices(amounts), prices: amounts }
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
      const product = catalog.findBySlug(slug)
      if (product?.state !== 'on sale') throw notFound('Product')
      return product.text
    },
  })
  mount(contract.termsInForce, { show: ({ version }) => checkout.terms(version) })
  mount(contract.prices, {
    adminProducts: () => catalog.products().map(({ listed, ...product }) => ({ ...product, ...listed })),
    adminList: () => prices.list(),
    async adminPublish(input, { actor }) {
      await prices.publish(actor, input)
      await pages.refresh()
    },
  })
  mount(contract.codes, {
    adminList: () => selling.codeAdministration.list(),
    adminAdd: (input, { actor }) => selling.codeAdministration.add(actor, input),
    adminStop: ({ id }, { actor }) => selling.codeAdministration.stop(actor, id),
  })
  mount(contract.checkout, {
    createSubscriptionIntent: async (input, { actor, request, reply }) => {
      const { nonce, ...intent } = await checkout.begin(actor, cookie.read(request), input)
      if (nonce) cookie.set(reply, nonce)
      return intent
    },
    quote: (input, { actor }) => checkout.quote(actor, input),
    agree: (input, { actor, request }) => checkout.agree(actor, cookie.read(request), input),
    guestPurchaseLogin: async ({ paymentIntentId }, { actor, request, reply }) => {
      const authenticated = await checkout.authenticateGuest(cookie.read(request), paymentIntentId)
      if (authenticated === 'not yet') return authenticated
      await identity.beginSession(authenticated, { actor, request, reply })
      securityLog('guest login', { ...actor, user: { id: authenticated.userId } })
      cookie.set(reply, authenticated.newNonce)
      return 'done'
    },
    paid: ({ paymentIntentId }, { request }) => checkout.showPaidOrder(cookie.read(request), paymentIntentId),
    confirm: ({ paymentIntentId }, { actor }) => checkout.confirm(actor, paymentIntentId),
  })
  mount(contract.billing, {
    details: async (_input, { actor }) => ({
      ...(await customers.billingDetailsOf(actor.user.id)),
      hasSubscription: await customers.hasSubscription(actor.user.id),
    }),
    save: (details, { actor }) => customers.saveBillingDetails(actor, details),
  })
  mount(contract.purchases, {
    list: (page, { actor }) => purchases.list(actor.user.id, page),
    async cancel({ id, endsAt }, { actor }) {
      // Without a known payment account, nothing may be sent to Stripe, so a job cancels later.
      const isAccountKnown = context.paymentAccount.isKnown()
      if (isAccountKnown) await cancellation.cancel(actor, id, endsAt)
      else await declarations.cancelLater(actor, id)
      return { isDone: isAccountKnown }
    },
    cancellation: ({ id }, { actor }) => cancellation.preview(actor.user.id, id),
    nextCharge: async ({ id }, { actor }) => selling.nextChargeOf(await purchases.find(id, actor.user.id)),
    giveReason: ({ id, reason, comment }, { actor }) => cancellation.giveReason(actor, id, reason, comment ?? ''),
    resume: ({ id }, { actor }) => cancellation.resume(actor, id),
    invoice: ({ id }, { actor }) => invoices.latestInvoice(actor.user.id, id),
    invoices: ({ id }, { actor }) => invoices.list(actor.user.id, id),
    document: ({ document }, { actor }) => invoices.linksOf(actor.user.id, document),
    openInvoice: (link) => invoices.openEmailed(link),
    beginCardUpdate: ({ id }, { actor }) => cardUpdate.begin(actor, id),
    switchOffer: ({ id }, { actor }) => switching.offer(actor.user.id, id),
    switch: ({ id, at, ...order }, { actor }) => switching.order(actor, id, { ...order, at: new Date(at) }),
    finishSwitch: ({ id, giveUp }, { actor }) => switching.finish(actor, id, giveUp),
    finishCardUpdate: ({ id, setupIntentId }, { actor }) => cardUpdate.finish(actor, id, setupIntentId),
  })
  mount(contract.purchasesAdmin, {
    list: (page) => purchases.listForSeller(page),
    add: ({ endsAt, ...booking }, { actor }) =>
      bookings.add(actor, { ...booking, endsAt: endsAt ? new Date(endsAt) : undefined }),
    cancel: ({ id, refund }, { actor }) => sellerActions.cancel(actor, id, refund),
    cancelAtPeriodEnd: ({ id, endsAt }, { actor }) => sellerActions.cancelAtPeriodEnd(actor, id, endsAt),
    cancellation: ({ id }) => sellerActions.preview(id),
    retryPayment: ({ id }, { actor }) => unpaid.retry(actor, id),
    sendPayLink: ({ id }, { actor }) => unpaid.sendLink(actor, id),
    resume: ({ id }, { actor }) => sellerActions.resume(actor, id),
    delete: ({ id }, { actor }) => sellerActions.remove(actor, id),
    settleRefunds: ({ id, amount }, { actor }) => refunds.settleRefunds(actor, id, amount),
    keepAfterLoss: ({ id, amount }, { actor }) => refunds.keepAfterLoss(actor, id, amount),
    settleWarning: ({ id, decision }, { actor }) => refunds.settleWarning(actor, id, decision),
    extend: ({ id, until }, { actor }) => sellerActions.extend(actor, id, until),
    refundable: ({ id }) => refunds.refundable(id),
    refund: ({ id, ...input }, { actor }) => refunds.refund(actor, id, input),
  })
  mount(contract.takeover, {
    adminList: () => takeover.list(),
    adminSetPlan: ({ id, plan }, { actor }) => takeover.setPlan(actor, id, plan),
    adminTakeOver: ({ ids, invite }, { actor }) => takeover.takeOver(actor, ids, invite),
  })
  await mountWebhook(http, context, selling)
  mount(contract.declarations, {
    withdraw: (input, { actor }) => declarations.withdraw(actor, input),
    cancel: (input, { actor }) => declarations.cancel(actor, input),
    confirm: ({ id, token }) => declarations.confirm(id, token),
  })
  mount(contract.declarationsAdmin, {
    list: (page) => declarations.administration.list(page),
    carryOut: ({ id }, { actor }) => declarations.administration.carryOut(actor, id),
    link: ({ id, contract: typedContract }, { actor }) => declarations.administration.link(actor, id, typedContract),
    close: ({ id, outcome }, { actor }) => declarations.administration.close(actor, id, outcome),
  })
  mount(contract.stripeSetup, { adminCheck: () => selling.stripeSetup.check() })
}

const webhookBodyLimitBytes = 1024 * 1024

/** The body stays a buffer, because Stripe's signature covers the raw bytes. */
async function mountWebhook(
  { app }: Http,
  { stripe, paymentAccount }: Pick<Context, 'stripe' | 'paymentAccount'>,
  { subscriptions }: Selling,
) {
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
    scope.route({
      method: 'POST',
      url: '/api/webhooks/stripe',
      bodyLimit: webhookBodyLimitBytes,
      config: { perMinute: false },
      handler: async ({ body, headers: { 'stripe-signature': signature } }) => {
        const event = readSigned(body, signature)
        // The event may be of another account; Stripe sends a refused event again.
        if (!paymentAccount.isKnown()) throw new Refusal(503, 'payments-away', 'Please send this event again later')
        await subscriptions.inbox.receive(event)
        return { received: true }
      },
    })
  })

  function readSigned(body: unknown, signature: string | string[] | undefined): StripeEvent {
    if (Buffer.isBuffer(body) && typeof signature === 'string')
      try {
        return stripe.events.read(body, signature)
      } catch {
        // Falls through to the refusal.
      }
    throw new Refusal(400, 'not-signed', 'This event is not signed by Stripe')
  }
}
