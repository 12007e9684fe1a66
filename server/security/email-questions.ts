import { and, eq, lte, sql } from 'drizzle-orm'
import type { Database } from '../database/connect.ts'
import { emailQuestions } from '../database/schema.ts'
import { tooMany } from '../errors.ts'
import { networkOf } from '../http/addresses.ts'
import { hashToken } from './tokens.ts'

const mostEmails = 20
const hour = 3_600_000

export type EmailQuestions = ReturnType<typeof createEmailQuestions>

/**
 * Sign-up and checkout must say when an address is taken, so whoever calls them learns who is a customer. That cannot be
 * hidden, but it can be limited: one network may ask about twenty different addresses an hour, across all processes.
 */
export function createEmailQuestions({ db, now }: { db: Database; now: () => Date }) {
  return {
    async ask(ip: string, email: string) {
      const network = hashToken(networkOf(ip))
      const asked = { network, email: hashToken(email) }
      const ofNetwork = eq(emailQuestions.network, network)
      const refusedFor = await db.transaction(async (tx) => {
        // One at a time, or twenty at once would each see none of the others.
        await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${network}, 0))`)
        await tx
          .delete(emailQuestions)
          .where(and(ofNetwork, lte(emailQuestions.askedAt, new Date(now().getTime() - hour))))
        const before = await tx.select().from(emailQuestions).where(ofNetwork).orderBy(emailQuestions.askedAt)
        const [oldest] = before
        if (before.some((each) => each.email === asked.email)) return 0
        if (oldest && before.length >= mostEmails) return oldest.askedAt.getTime() + hour - now().getTime()
        await tx.insert(emailQuestions).values({ ...asked, askedAt: now() })
        return 0
      })
      if (refusedFor > 0) throw tooMany(Math.ceil(refusedFor / 1000))
    },

    async forgetExpired() {
      await db.delete(emailQuestions).where(lte(emailQuestions.askedAt, new Date(now().getTime() - hour)))
    },
  }
}
