import { and, eq, isNull } from 'drizzle-orm'
import * as z from 'zod/mini'
import { findProductByName, type ImportLine, type ImportVerdict } from '#contract/admin/imports.ts'
import { email as emailField } from '#contract/fields.ts'
import { personName } from '#contract/person-name.ts'
import { type BillingType, planByName, plansWithPrice } from '#contract/plans.ts'
import { nameTakenMessage, normalizeUsername, parseUsername } from '#contract/tradingview-name.ts'
import type { Actor } from '#server/actor.ts'
import type { Context } from '#server/context.ts'
import type { Database, Transaction } from '#server/database/connect.ts'
import { isLivePurchase, purchases, users } from '#server/database/schema.ts'
import { Refusal } from '#server/errors.ts'
import type { Product } from '#server/features/selling/catalog/catalog.ts'
import type { Areas } from '../areas.ts'

type ImportContext = Pick<Context, 'db' | 'now' | 'audit' | 'catalog'>

/** Books subscribers who paid elsewhere. Each line has its own transaction, so an interrupted import can be repeated. */
export type Imports = {
  check(lines: ImportLine[]): Promise<ImportVerdict[]>
  run(actor: Actor, lines: ImportLine[], options: ImportOptions): Promise<ImportVerdict[]>
}

type ImportOptions = { invite: boolean; hasAccess: boolean }
type SubscriberVerdict = Omit<ImportVerdict, 'line'>

const alreadySubscribedMessage = 'Has a subscription already'

export function createImports(
  { db, now, audit, catalog }: ImportContext,
  { identity, selling, access }: Areas,
): Imports {
  const { names } = access.core

  async function findAccount(tx: Database | Transaction, { email, product }: Subscriber) {
    const [user] = await tx
      .select({ id: users.id, purchaseId: purchases.id })
      .from(users)
      .leftJoin(purchases, and(eq(purchases.userId, users.id), eq(purchases.productId, product.id), isLivePurchase))
      .where(and(eq(users.email, email), isNull(users.deletedAt)))
      .limit(1)
    return user
  }

  async function findObstacle(tx: Database | Transaction, subscriber: Subscriber) {
    const { username, product } = subscriber
    const account = await findAccount(tx, subscriber)
    if (account?.purchaseId) return { verdict: 'there' as const, message: alreadySubscribedMessage }
    // A new account has no id yet; the product's id stands in, because no account has it.
    const buyer = { userId: account?.id ?? product.id, productId: product.id }
    const otherHolder = username && (await names.findOtherHolder(tx, buyer, normalizeUsername(username)))
    return otherHolder ? { verdict: 'fault' as const, message: nameTakenMessage } : undefined
  }

  async function bookOne(
    actor: Actor,
    subscriber: Subscriber,
    { invite, hasAccess }: ImportOptions,
  ): Promise<SubscriberVerdict> {
    const { email, name, username, product, billingType, paidUntil } = subscriber
    const { amount } = await selling.prices.current(product.id, billingType)
    return db.transaction(async (tx) => {
      const obstacle = await findObstacle(tx, subscriber)
      if (obstacle) return obstacle
      const userId = await identity.accounts.guests.findOrCreateForImport(tx, { email, name })
      const { id: purchaseId } = await selling.bookings.book(tx, {
        userId,
        productId: product.id,
        billingType,
        amount,
        status: 'active',
        kind: 'paid_elsewhere',
        endsAt: paidUntil,
        invite,
      })
      if (username) {
        const unlockedProductId = hasAccess ? product.id : undefined
        await names.setUsername(tx, {
          userId,
          username,
          productId: product.id,
          byAdmin: actor.user.id,
          unlockedProductId,
        })
      }
      await audit.record(tx, actor, { action: 'purchase.import', subject: purchaseId, aboutId: userId })
      return { verdict: 'new' as const, message: 'Booked' }
    })
  }

  /** Runs in order, so that a line sees what earlier lines booked. */
  async function processLines(
    lines: ImportLine[],
    processSubscriber: (subscriber: Subscriber) => Promise<SubscriberVerdict>,
  ) {
    const verdicts: ImportVerdict[] = []
    for (const line of lines) {
      const subscriber = readLine(line, catalog.productsOnSale(), now())
      const verdict =
        'fault' in subscriber
          ? { verdict: 'fault' as const, message: subscriber.fault }
          : await processSubscriber(subscriber)
      verdicts.push({ line: line.line, ...verdict })
    }
    return verdicts
  }

  return {
    check: (lines) =>
      processLines(
        lines,
        async (subscriber) => (await findObstacle(db, subscriber)) ?? { verdict: 'new', message: '' },
      ),

    run: (actor, lines, options) =>
      processLines(lines, (subscriber) =>
        bookOne(actor, subscriber, options).catch((error: unknown) => {
          if (error instanceof Refusal) return { verdict: 'fault', message: error.message }
          throw error
        }),
      ),
  }
}

type Subscriber = {
  email: string
  name: string
  username: string | null
  product: Product
  billingType: BillingType
  paidUntil: Date
}

/** A day without a time means its end. The browser converts other notations, because it sees the whole file. */
const dayOrMoment = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(?::\d\d(?:\.\d+)?)?Z?)?$/

function readLine(line: ImportLine, products: Product[], now: Date): Subscriber | { fault: string } {
  if (!line.email) return { fault: 'The email is missing.' }
  const email = z.safeParse(emailField, line.email)
  if (!email.success) return { fault: `“${line.email}” isn’t an email address. Please correct it in the file.` }
  const name = line.name ? z.safeParse(personName, line.name) : undefined
  if (name && !name.success) return { fault: invalidNameMessage }
  const username = line.tradingViewUsername ? parseUsername(line.tradingViewUsername) : undefined
  if (username && 'refusal' in username)
    return { fault: `“${line.tradingViewUsername}” isn’t a TradingView username. Correct it or leave it empty.` }
  const product = products.length === 1 ? products[0] : findProductByName(products, line.product ?? '')
  if (!product) {
    const problem = line.product ? `“${line.product}” isn’t a product.` : 'The product is missing.'
    return { fault: `${problem} Write ${products.map(({ slug }) => slug).join(' or ')}.` }
  }
  const plansOnSale = plansWithPrice(product.prices).map(({ key }) => key)
  const billingType = planByName(line.plan ?? '')?.key
  if (!billingType || !plansOnSale.includes(billingType)) {
    const problem = line.plan ? `“${line.plan}” isn’t a plan.` : 'The plan is missing.'
    return { fault: `${problem} Write ${plansOnSale.join(' or ')}.` }
  }
  const [, day, time = '23:59'] = dayOrMoment.exec(line.paidUntil ?? '') ?? []
  const paidUntil = new Date(`${day}T${time}Z`)
  // `2026-02-31` would become March 3.
  if (Number.isNaN(paidUntil.getTime()) || paidUntil.toISOString().slice(0, 10) !== day) {
    const problem = line.paidUntil ? `“${line.paidUntil}” isn’t a day.` : 'The day in “paid until” is missing.'
    return { fault: `${problem} Write it like 2026-12-31.` }
  }
  if (paidUntil <= now) return { fault: '“Paid until” is in the past. Give a later day, or remove this line.' }
  return {
    email: email.data,
    name: name?.data ?? '',
    username: username?.username ?? null,
    product,
    billingType,
    paidUntil,
  }
}

const invalidNameMessage =
  'This name has a link, an address, a phone number or over 100 characters. Shorten it or leave it empty.'
