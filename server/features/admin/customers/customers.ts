import { and, desc, eq, isNull } from 'drizzle-orm'
import type { customers as calls } from '#contract/admin/customers.ts'
import type { RawOutputOf } from '#contract/endpoint.ts'
import { isStaff } from '#contract/permissions.ts'
import type { Actor } from '#server/actor.ts'
import type { Context } from '#server/context.ts'
import type { Database, Transaction } from '#server/database/connect.ts'
import type { Page } from '#server/database/cursor.ts'
import { findUser } from '#server/database/people.ts'
import { customerNotes, users } from '#server/database/schema.ts'
import { conflict, notFound, Refusal } from '#server/errors.ts'
import type { Documents } from '#server/features/selling/invoices/invoices.ts'
import type { Newsletter } from '#server/features/site/newsletter/newsletter.ts'
import type { Areas } from '../areas.ts'
import { createTimeline, type PageInput, type TimelineItem } from './timeline.ts'

type CustomerContext = Pick<Context, 'attempts' | 'audit' | 'catalog' | 'db' | 'mails' | 'now'>

/** A customer's page. Owns the notes; everything else belongs to other modules. */
export type Customers = {
  notes: Notes
  setSuppressed: Newsletter['setSuppressed']
  /** Only admins see the timeline of a staff member. */
  timeline(actor: Actor, id: string, page: PageInput): Promise<Page<TimelineItem>>
  sendPasswordLink(actor: Actor, id: string): Promise<void>
  write(actor: Actor, id: string, message: { subject: string; text: string }): Promise<void>
  correctEmail(actor: Actor, id: string, email: string): Promise<void>
  show(id: string): Promise<RawOutputOf<typeof calls.adminShow>>
  payments: Documents['summaryOf']
  document: Documents['linksOf']
  mail(id: string): Promise<RawOutputOf<typeof calls.adminMail>>
  resend(actor: Actor, id: string): Promise<void>
  /** Calls the buyer's own functions with the buyer's id. Returns data only, no session. */
  seeAs(actor: Actor, id: string): Promise<RawOutputOf<typeof calls.adminSeeAs>>
}

const adminsOnlyRefusal = () => new Refusal(403, 'forbidden', 'Only an admin can do this.')

/** Most people have one or two. */
const maxPurchases = 200
/** Limit of emails that staff send to one mailbox by hand. */
const staffMailLimit = { requests: 10, seconds: 86_400 }

export function createCustomers(context: CustomerContext, areas: Areas): Customers {
  const { db, audit, attempts, mails, catalog } = context
  const { sendPasswordLink, correctEmail } = areas.identity.accounts.customerHelp
  const { invoices, purchases } = areas.selling
  const { core, privatePackage, assets } = areas.access
  const { newsletter } = areas.site
  const notes = createNotes(context)
  const timeline = createTimeline(context, areas)

  /** Counts an email by staff and throws 429 beyond the limit, so that nobody can flood a mailbox. */
  async function countStaffMail(tx: Transaction | Database, email: string) {
    if (await attempts.countAndCheck('mail by staff', email, staffMailLimit, { tx })) return
    throw new Refusal(429, 'too-many', 'We’ve sent this person ten emails by hand today. Please try again tomorrow.')
  }

  return {
    notes,
    setSuppressed: newsletter.setSuppressed,
    async timeline(actor, id, page) {
      if (!actor.user.isAdmin && isStaff(await findUser(db, id))) throw adminsOnlyRefusal()
      return timeline(id, page)
    },

    async sendPasswordLink(actor, id) {
      const { email } = await findUser(db, id)
      await countStaffMail(db, email)
      await sendPasswordLink(actor, id)
    },

    async write(actor, id, { subject, text }) {
      const { email, name } = await findUser(db, id)
      await db.transaction(async (tx) => {
        await countStaffMail(tx, email)
        await mails.send(tx, email, 'sellerMessage', { name, subject, answer: text })
        await audit.record(tx, actor, { action: 'message.write', aboutId: id })
      })
    },

    async correctEmail(actor, id, email) {
      await countStaffMail(db, email)
      await correctEmail(actor, id, email)
    },

    async show(id) {
      const account = await findUser(db, id)
      const [purchasePage, accessRows, customersNotes, suppressed] = await Promise.all([
        purchases.listForSeller({ userId: id, limit: maxPurchases }),
        core.lists.ofUser(id),
        notes.list(id),
        newsletter.suppressionOf(id, account.email),
      ])
      return {
        ...account,
        hasPassword: account.passwordHash !== null,
        purchases: purchasePage.items,
        access: accessRows,
        notes: customersNotes,
        suppressed,
      }
    },

    async payments(id) {
      await findUser(db, id)
      return invoices.summaryOf(id)
    },

    document: invoices.linksOf,

    mail: (id) => mails.sent.find(id),

    async resend(actor, id) {
      await db.transaction(async (tx) => {
        const { userId, kind, to } = await mails.resend(tx, id)
        await countStaffMail(tx, to)
        await audit.record(tx, actor, { action: 'mail.resend', aboutId: userId, detail: { kind } })
      })
    },

    async seeAs(actor, id) {
      const user = await findUser(db, id)
      if (isStaff(user)) throw conflict('staff-account', 'You can’t view the shop as a staff member')
      await audit.record(db, actor, { action: 'user.see-as', aboutId: id })
      const isOwner = await core.owns(id, catalog.homeProduct().id)
      return {
        user: { ...user, isProven: user.verifiedAt !== null },
        purchases: (await purchases.list(id, { limit: maxPurchases })).items,
        access: await core.buyerAccess.mine(id),
        privatePackage: isOwner ? await privatePackage.show(id) : null,
        assets: isOwner ? await assets.list(id) : null,
      }
    },
  }
}

type Notes = {
  list(userId: string): Promise<RawOutputOf<typeof calls.adminShow>['notes']>
  add(actor: Actor, userId: string, text: string): Promise<void>
  /** Support may delete only its own notes. */
  remove(actor: Actor, id: string): Promise<void>
}

function createNotes({ db, now, audit }: Pick<Context, 'db' | 'now' | 'audit'>): Notes {
  return {
    list: (userId) =>
      db
        .select({
          id: customerNotes.id,
          text: customerNotes.text,
          author: users.name,
          authorId: customerNotes.authorId,
          createdAt: customerNotes.createdAt,
        })
        .from(customerNotes)
        .innerJoin(users, eq(users.id, customerNotes.authorId))
        .where(eq(customerNotes.userId, userId))
        .orderBy(desc(customerNotes.createdAt), desc(customerNotes.id)),

    async add(actor, userId, text) {
      await db.transaction(async (tx) => {
        // Locks the user, so that a deletion waits and removes the note, too.
        const [customer] = await tx
          .select({ id: users.id })
          .from(users)
          .where(and(eq(users.id, userId), isNull(users.deletedAt)))
          .for('share')
        if (!customer) throw notFound('User')
        await tx.insert(customerNotes).values({ userId, authorId: actor.user.id, text, createdAt: now() })
        await audit.record(tx, actor, { action: 'note.add', aboutId: userId })
      })
    },

    async remove(actor, id) {
      await db.transaction(async (tx) => {
        const [removed] = await tx.delete(customerNotes).where(eq(customerNotes.id, id)).returning()
        if (!removed) throw notFound('Note')
        // A refusal rolls the deletion back.
        if (!actor.user.isAdmin && removed.authorId !== actor.user.id) throw adminsOnlyRefusal()
        await audit.record(tx, actor, { action: 'note.delete', aboutId: removed.userId })
      })
    },
  }
}
