import type { FastifyInstance } from 'fastify'
import type { contract } from '#contract/index.ts'
import { notFound, Refusal } from '#server/errors.ts'
import type { StripeEvent } from '#server/gateways/stripe.ts'
import type { BeginSession, CheckoutCookie } from '#server/http/cookies.ts'
import type { Handlers } from '#server/http/mount.ts'
import type { SecurityLog } from '#server/security/security-log.ts'
import type { Authenticated } from '../identity/sessions/sessions.ts'
import type { Catalog } from './catalog/catalog.ts'
import type { Checkout, Customers } from './checkout/checkout.ts'
import type { CodeAdministration } from './codes/codes.ts'
import type { Declarations } from './declarations/declarations.ts'
import type { Prices } from './prices/prices.ts'
import type { Purchases } from './purchases/purchases.ts'
import type { Seats } from './seats/seats.ts'
import type { StripeSetup } from './stripe-setup/stripe-setup.ts'

type Contract = typeof contract

export function catalogRoutes(catalog: Catalog, prices: Prices): Handlers<Contract['catalog']> {
  async function list() {
    const shown = await prices.shown()
    return catalog.onSale().flatMap(({ id, name, slug }) => {
      const price = shown[slug]
      return price ? [{ id, name, slug, monthlyPrice: price.monthly, yearlyPrice: price.yearly }] : []
    })
  }
  return {
    list,
    async product({ slug }) {
      const product = (await list()).find((candidate) => candidate.slug === slug)
      if (!product) throw notFound('Product')
      return product
    },
    page: ({ slug }) => {
      const product = catalog.bySlug(slug)
      if (product?.state !== 'on sale') throw notFound('Product')
      return product.text
    },
  }
}

/** Pages show prices. */
export const priceRoutes = (
  catalog: Catalog,
  prices: Prices,
  pages: { refresh(): Promise<void> },
): Handlers<Contract['prices']> => ({
  adminProducts: () =>
    catalog.products().map(({ id, name, slug, state, listed: { list: symbols } }) => ({
      id,
      name,
      slug,
      state,
      list: symbols,
    })),
  adminList: () => prices.list(),
  async adminPublish(wish, { actor }) {
    await prices.publish(actor, wish)
    await pages.refresh()
  },
})

export const codeRoutes = (codes: CodeAdministration): Handlers<Contract['codes']> => ({
  adminList: () => codes.list(),
  adminAdd: (wish, { actor }) => codes.add(actor, wish),
  adminStop: ({ id }, { actor }) => codes.stop(actor, id),
})

export function checkoutRoutes(
  checkout: Checkout,
  beginSession: BeginSession<Authenticated>,
  cookie: CheckoutCookie,
  securityLog: SecurityLog,
): Handlers<Contract['checkout']> {
  return {
    createSubscriptionIntent: async (wish, { actor, request, reply }) => {
      const { nonce, ...begun } = await checkout.begin(actor, cookie.read(request), wish)
      if (nonce) cookie.set(reply, nonce)
      return begun
    },
    quote: (wish, { actor, request }) => checkout.quote(actor, cookie.read(request), wish),
    agree: (agreed, { actor, request }) => checkout.agree(actor, cookie.read(request), agreed),
    guestPurchaseLogin: async ({ paymentIntentId }, { actor, request, reply }) => {
      const authenticated = await checkout.loginOfGuest(cookie.read(request), paymentIntentId)
      if (authenticated === 'not yet') return authenticated
      await beginSession(authenticated, { actor, request, reply })
      securityLog('guest login', { ...actor, user: { id: authenticated.userId } })
      cookie.set(reply, authenticated.newNonce)
      return 'done'
    },
    paid: ({ paymentIntentId }, { request }) => checkout.paid(cookie.read(request), paymentIntentId),
    confirm: ({ paymentIntentId }, { actor }) => checkout.confirm(actor, paymentIntentId),
  }
}

export const billingRoutes = (customers: Customers): Handlers<Contract['billing']> => ({
  details: (_input, { actor }) => customers.billingDetailsOf(actor.user.id),
  save: (details, { actor }) => customers.saveBillingDetails(actor, details),
})

export function purchaseRoutes(purchases: Purchases): Handlers<Contract['purchases']> {
  const { ending, switching, invoices, card, administration, refunds, sellerEnding, unpaid } = purchases
  return {
    list: (page, { actor }) => purchases.list(actor.user.id, page),
    cancel: ({ id }, { actor }) => ending.cancel(actor, id),
    cancellation: ({ id }, { actor }) => ending.preview(actor.user.id, id),
    giveReason: ({ id, reason, comment }, { actor }) => ending.giveReason(actor, id, reason, comment ?? ''),
    resume: ({ id }, { actor }) => ending.resume(actor, id),
    invoice: ({ id }, { actor }) => invoices.latest(actor.user.id, id),
    invoices: ({ id }, { actor }) => invoices.list(actor.user.id, id),
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
    adminSettleWarning: ({ id, decision }, { actor }) => administration.settleWarning(actor, id, decision),
    adminExtend: ({ id, until }, { actor }) => administration.extend(actor, id, until),
    adminRefundable: ({ id }) => refunds.refundable(id),
    adminRefund: ({ id, ...wanted }, { actor }) => refunds.refund(actor, id, wanted),
  }
}

export const takeoverRoutes = ({ takeover }: Purchases): Handlers<Contract['takeover']> => ({
  adminList: () => takeover.list(),
  adminSetPlan: ({ id, plan }, { actor }) => takeover.setPlan(actor, id, plan),
  adminTakeOver: ({ ids, invite }, { actor }) => takeover.takeOver(actor, ids, invite),
})

export const seatRoutes = (seats: Seats): Handlers<Contract['seats']> => ({
  show: ({ product }) => seats.show(product),
  join: ({ email, product }) => seats.waitingList.join(email, product),
})

export function declarationRoutes(declarations: Declarations): Handlers<Contract['declarations']> {
  const { administration } = declarations
  return {
    withdraw: (declared, { actor }) => declarations.withdraw(actor, declared),
    cancel: (declared, { actor }) => declarations.cancel(actor, declared),
    confirm: ({ id, token }) => declarations.confirm(id, token),
    adminList: (page) => administration.list(page),
    adminCarryOut: ({ id }, { actor }) => administration.carryOut(actor, id),
    adminClose: ({ id, outcome }, { actor }) => administration.close(actor, id, outcome),
  }
}

export const stripeSetupRoutes = (setup: StripeSetup): Handlers<Contract['stripeSetup']> => ({
  adminCheck: () => setup.check(),
})

type Inbox = {
  read(body: Buffer, signature: string): StripeEvent
  receive(event: StripeEvent): Promise<void>
}

const bodyLimit = 1024 * 1024

/** Stripe's own call. Its signature covers the raw bytes, so they are not parsed before it is checked. */
export async function mountWebhook(app: FastifyInstance, { read, receive }: Inbox) {
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
    scope.route({
      method: 'POST',
      url: '/api/webhooks/stripe',
      bodyLimit,
      config: { perMinute: false },
      handler: async ({ body, headers: { 'stripe-signature': signature } }) => {
        await receive(readSigned(body, signature))
        return { received: true }
      },
    })
  })

  function readSigned(body: unknown, signature: string | string[] | undefined): StripeEvent {
    if (Buffer.isBuffer(body) && typeof signature === 'string')
      try {
        return read(body, signature)
      } catch {}
    throw new Refusal(400, 'not-signed', 'This event is not signed by Stripe')
  }
}
