import { and, eq, isNull } from 'drizzle-orm'
import type { Database } from '../../database/connect.ts'
import { checkouts, users } from '../../database/schema.ts'
import { conflict, Refusal } from '../../errors.ts'
import type { StripeGateway } from '../../gateways/stripe.ts'
import { hashToken, type Proven } from '../../http/session.ts'
import type { Purchases } from '../purchases/purchases.ts'

type Dependencies = { db: Database; now: () => Date; stripe: StripeGateway; purchases: Purchases }

const loginWindow = 60 * 60_000

const accountExists = () => new Refusal(403, 'An account with this e-mail exists. Please log in to continue.')
const pleaseLogIn = () => new Refusal(403, 'Please log in to continue. We have mailed you how.')

/**
 * The account to log a guest in to. An intent's id travels in addresses and proves nothing: the browser must be
 * the one that began, the payment this one, recent, and the account made by this browser's paying and still
 * without a password. It works once.
 */
export function createGuestLogin({ db, now, stripe, purchases }: Dependencies) {
  const ago = (span: number) => new Date(now().getTime() - span)

  /** Of two tabs that pay, the one that is booked first makes the account; the other one is the same buyer. */
  async function madeAccount(userId: string, nonceHash: string) {
    const [made] = await db
      .select({ id: checkouts.id })
      .from(checkouts)
      .where(
        and(
          eq(checkouts.userId, userId),
          eq(checkouts.nonceHash, nonceHash),
          eq(checkouts.madeAccount, true),
        ),
      )
    return made !== undefined
  }

  async function hasPassword(userId: string) {
    const [user] = await db
      .select({ passwordHash: users.passwordHash })
      .from(users)
      .where(eq(users.id, userId))
    return Boolean(user?.passwordHash)
  }

  return async function loginOfGuest(nonce: string | undefined, paymentIntentId: string): Promise<Proven> {
    const [begun] = await db
      .select()
      .from(checkouts)
      .where(
        and(eq(checkouts.paymentIntentId, paymentIntentId), eq(checkouts.nonceHash, hashToken(nonce ?? ''))),
      )
    if (!begun || !nonce) throw pleaseLogIn()
    const { payments, customerId } = await stripe.subscription(begun.subscriptionId)
    const payment = payments.find((candidate) => candidate.paymentIntentId === paymentIntentId)
    if (!payment) throw conflict('The payment has not been completed yet')
    if (
      customerId !== begun.customerId ||
      payment.amount !== begun.amount ||
      payment.paidAt < ago(loginWindow)
    )
      throw pleaseLogIn()
    await purchases.sync(begun.subscriptionId)
    const [booked] = await db.select().from(checkouts).where(eq(checkouts.id, begun.id))
    if (!booked?.userId) throw pleaseLogIn()
    if (!(await madeAccount(booked.userId, begun.nonceHash)))
      throw (await hasPassword(booked.userId)) ? accountExists() : pleaseLogIn()
    const [used] = await db
      .update(checkouts)
      .set({ loginUsedAt: now() })
      .where(and(eq(checkouts.id, begun.id), isNull(checkouts.loginUsedAt)))
      .returning({ id: checkouts.id })
    if (!used) throw pleaseLogIn()
    return { userId: booked.userId, passwordHash: null, orElse: accountExists }
  }
}
