import { eq } from 'drizzle-orm'
import type { Database } from '#server/database/connect.ts'
import { users } from '#server/database/schema.ts'
import { conflict, Refusal } from '#server/errors.ts'
import type { Authenticated } from '#server/features/identity/sessions/sessions.ts'
import type { StripeGateway } from '#server/gateways/stripe.ts'
import { hashToken } from '#server/security/tokens.ts'
import type { Checkouts } from './checkouts.ts'

type Dependencies = {
  db: Database
  now: () => Date
  stripe: StripeGateway
  checkouts: Checkouts
  purchases: { sync(subscriptionId: string): Promise<void> }
}

const loginWindow = 60 * 60_000

const accountExists = () =>
  new Refusal(403, 'login-required', 'An account with this email exists. Please log in to continue.')
const pleaseLogIn = () =>
  new Refusal(403, 'login-required', 'Please log in to continue. We’ve emailed you how.')

/**
 * The account to log a guest in to. A payment intent's id travels in URLs and proves nothing: it must be the browser
 * that started the checkout, and this very payment, made recently, must have created the account. It works once, only
 * after Stripe is done with the subscription, and never for an account that has since been given a password or handed
 * over; `sessions.begin` makes the final check.
 */
export function createGuestLogin({ db, now, stripe, checkouts, purchases }: Dependencies) {
  async function hasPassword(userId: string) {
    const [user] = await db
      .select({ passwordHash: users.passwordHash })
      .from(users)
      .where(eq(users.id, userId))
    return Boolean(user?.passwordHash)
  }

  return async function loginOfGuest(
    nonce: string | undefined,
    paymentIntentId: string,
  ): Promise<Authenticated | 'not yet'> {
    const begun = await checkouts.ofPayment(paymentIntentId)
    if (!begun || !nonce || begun.nonceHash !== hashToken(nonce)) throw pleaseLogIn()
    const { payments, customerId } = await stripe.subscription(begun.subscriptionId)
    const payment = payments.find((candidate) => candidate.paymentIntentId === paymentIntentId)
    if (!payment) throw conflict('not-paid', 'The payment hasn’t been completed yet')
    if (
      customerId !== begun.customerId ||
      payment.amount !== begun.amount ||
      payment.paidAt.getTime() < now().getTime() - loginWindow
    )
      throw pleaseLogIn()
    await purchases.sync(begun.subscriptionId)
    const booked = await checkouts.ofPayment(paymentIntentId)
    if (!booked?.closedAt) return 'not yet'
    if (!booked.userId) throw pleaseLogIn()
    if (!booked.madeAccount) throw (await hasPassword(booked.userId)) ? accountExists() : pleaseLogIn()
    if (!(await checkouts.useLogin(begun.id))) throw pleaseLogIn()
    return { userId: booked.userId, passwordHash: null, provenBy: 'payment', refusal: accountExists }
  }
}
