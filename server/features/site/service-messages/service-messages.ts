import { and, asc, desc, eq, exists, gt, isNull, ne, notExists, type SQL, sql } from 'drizzle-orm'
import { dayMs } from '#contract/dates.ts'
import type { ParsedInputOf, RawOutputOf } from '#contract/endpoint.ts'
import {
  type serviceMessages as calls,
  maxServiceMessages,
  type ServiceReason,
  serviceMessageDays,
} from '#contract/site/service-messages.ts'
import type { Actor } from '#server/actor.ts'
import type { Context } from '#server/context.ts'
import type { Database, Transaction } from '#server/database/connect.ts'
import { decodeCursor, type Page, pageOf } from '#server/database/cursor.ts'
import {
  isLivePurchase,
  mailSuppressions,
  products,
  purchases,
  serviceMessages,
  users,
} from '#server/database/schema.ts'
import { conflict, notFound } from '#server/errors.ts'
import { missingForSending } from '../newsletter/newsletter.ts'

type ServiceMessageContext = Pick<
  Context,
  'audit' | 'catalog' | 'config' | 'db' | 'mails' | 'now' | 'queue' | 'settings'
>

/** Emails about the contract to all customers of a product. They need no consent and hold no advertising. */
export type ServiceMessages = {
  list(page: ParsedInputOf<typeof calls.adminList>): Promise<Page<RawOutputOf<typeof calls.adminList>[number]>>
  audience(productId: string): Promise<RawOutputOf<typeof calls.adminAudience>>
  sendTest(actor: Actor, message: Message): Promise<{ to: string }>
  send(actor: Actor, message: Message & { customers: number }): Promise<{ recipients: number }>
}

type Message = { productId: string; reason: ServiceReason; subject: string; markdown: string }

const batchSize = 500

export function createServiceMessages(context: ServiceMessageContext): ServiceMessages {
  const { db, now, queue, mails, audit, catalog } = context

  /** Users with a live purchase, by their mail server's answer to earlier emails. */
  function customersOf(
    tx: Database | Transaction,
    productId: string,
    delivery: 'accepted' | 'refused' = 'accepted',
  ): SQL | undefined {
    const livePurchase = tx
      .select({ id: purchases.id })
      .from(purchases)
      .where(and(eq(purchases.userId, users.id), eq(purchases.productId, productId), isLivePurchase))
    const refusal = tx
      .select({ email: mailSuppressions.email })
      .from(mailSuppressions)
      .where(and(eq(mailSuppressions.email, users.email), eq(mailSuppressions.because, 'refused')))
    return and(
      isNull(users.deletedAt),
      exists(livePurchase),
      delivery === 'refused' ? exists(refusal) : notExists(refusal),
    )
  }

  /** Security messages do not count. */
  async function countRemaining(tx: Database | Transaction, productId: string) {
    const since = new Date(now().getTime() - serviceMessageDays * dayMs)
    const isRecent = and(
      eq(serviceMessages.productId, productId),
      ne(serviceMessages.reason, 'security'),
      gt(serviceMessages.sentAt, since),
    )
    return Math.max(0, maxServiceMessages - (await tx.$count(serviceMessages, isRecent)))
  }

  const emailDataOf = async ({ productId, reason, subject, markdown }: Message) => ({
    product: (await catalog.findRow(productId)).name,
    reason,
    subject,
    markdown,
  })

  /** Idempotent: each email has an id made from message and person, so a second run sends nothing twice. */
  const enqueue = queue.defineJob<{ id: string }>('send-service-message', async ({ id }) => {
    const [message] = await db.select().from(serviceMessages).where(eq(serviceMessages.id, id))
    if (!message) return
    const data = await emailDataOf(message)
    let lastId: string | undefined
    for (;;) {
      const people = await db
        .select({ id: users.id, email: users.email, name: users.name })
        .from(users)
        .where(and(customersOf(db, message.productId), lastId ? gt(users.id, lastId) : undefined))
        .orderBy(asc(users.id))
        .limit(batchSize)
      for (const { id: userId, email, name } of people)
        await mails.sendOnce(`service message ${id} to ${userId}`, email, 'serviceMessage', { ...data, name })
      lastId = people.at(-1)?.id
      if (people.length < batchSize) return
    }
  })

  return {
    async list({ limit, cursor }) {
      const after = decodeCursor(cursor)
      const { sentAt, id } = serviceMessages
      const rows = await db
        .select({ message: serviceMessages, product: products.name, sentBy: users.name })
        .from(serviceMessages)
        .innerJoin(products, eq(products.id, serviceMessages.productId))
        .innerJoin(users, eq(users.id, serviceMessages.sentBy))
        .where(after && sql`(${sentAt}, ${id}) < (${after.at}, ${after.id})`)
        .orderBy(desc(sentAt), desc(id))
        .limit(limit + 1)
      const messages = rows.map(({ message, product, sentBy }) => ({ ...message, product, sentBy }))
      return pageOf(messages, limit, (row) => ({ at: row.sentAt, id: row.id }))
    },

    async audience(productId) {
      const [customers, refused, remaining] = await Promise.all([
        db.$count(users, customersOf(db, productId)),
        db.$count(users, customersOf(db, productId, 'refused')),
        countRemaining(db, productId),
      ])
      return { customers, refused, remaining, missing: missingForSending(context) }
    },

    async sendTest(actor, message) {
      const { subject, ...data } = await emailDataOf(message)
      return mails.test(actor, 'serviceMessage', { ...data, subject: `[Test] ${subject}`, name: actor.user.name })
    },

    async send(actor, { customers, ...message }) {
      if (!catalog.findById(message.productId)) throw notFound('Product')
      if (missingForSending(context).length > 0)
        throw conflict('not-ready-to-send', 'Something is missing before it can be sent. Please look at the list.')
      return db.transaction(async (tx) => {
        // Locks the product, so that two admins together stay within the limit.
        await tx.select({ id: products.id }).from(products).where(eq(products.id, message.productId)).for('update')
        if (message.reason !== 'security' && (await countRemaining(tx, message.productId)) === 0)
          throw conflict(
            'too-soon',
            `${maxServiceMessages} service messages have gone to these customers within ${serviceMessageDays} days. Only security can’t wait.`,
          )
        const recipients = await tx.$count(users, customersOf(tx, message.productId))
        if (recipients !== customers)
          throw conflict('changed-meanwhile', `It would go to ${recipients} customers by now. Please look again.`)
        if (recipients === 0) throw conflict('not-ready-to-send', 'Nobody has a running purchase of this product.')
        const [sent] = await tx
          .insert(serviceMessages)
          .values({ ...message, sentAt: now(), sentBy: actor.user.id, recipients })
          .returning({ id: serviceMessages.id })
        if (!sent) throw new Error('Nothing was written')
        await enqueue(tx, sent)
        const detail = { reason: message.reason, recipients }
        await audit.record(tx, actor, { action: 'service-message.send', subject: sent.id, detail })
        return { recipients }
      })
    },
  }
}
