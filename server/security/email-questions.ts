import { and, gt, inArray, lte, sql } from 'drizzle-orm'
import { createKeyedMutex } from '../concurrency/coalesce.ts'
import type { Database, Transaction } from '../database/connect.ts'
import { emailQuestions } from '../database/schema.ts'
import { tooMany } from '../errors.ts'
import { networksOf } from '../http/addresses.ts'
import { hashToken } from './tokens.ts'

const mostEmails = 20
const hour = 3_600_000

type Dependencies = {
  db: Database
  now: () => Date
  /** Off in most tests, where every visitor has the same address. */
  isOn: boolean
}

export type EmailQuestions = ReturnType<typeof createEmailQuestions>

/** Sign-up and checkout must say that an address is taken: so a network may ask about twenty an hour, an IPv6 /48 a hundred. */
export function createEmailQuestions({ db, now, isOn }: Dependencies) {
  const runExclusive = createKeyedMutex()
  return {
    /** Counts a question about this address, and refuses one too many. */
    async countOrRefuse(ip: string, email: string) {
      if (!isOn) return
      const asked = hashToken(email)
      const networks = networksOf(ip).map(({ network, times }) => ({
        network: hashToken(network),
        most: mostEmails * times,
      }))
      const names = networks.map(({ network }) => network)
      const count = async (tx: Transaction) => {
        // One at a time, or twenty at the same time would each see none of the others.
        for (const network of names)
          await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${network}, 0))`)
        const since = new Date(now().getTime() - hour)
        const before = await tx
          .select()
          .from(emailQuestions)
          .where(and(inArray(emailQuestions.network, names), gt(emailQuestions.askedAt, since)))
          .orderBy(emailQuestions.askedAt)
        const unasked = networks.filter(
          ({ network }) => !before.some((each) => each.network === network && each.email === asked),
        )
        for (const { network, most } of unasked) {
          const here = before.filter((each) => each.network === network)
          const [oldest] = here
          if (oldest && here.length >= most) return oldest.askedAt.getTime() - since.getTime()
        }
        if (unasked.length === 0) return 0
        await tx
          .insert(emailQuestions)
          .values(unasked.map(({ network }) => ({ network, email: asked, askedAt: now() })))
          .onConflictDoUpdate({
            target: [emailQuestions.network, emailQuestions.email],
            set: { askedAt: sql`excluded.asked_at` },
          })
        return 0
      }
      // Waiting here, a network's questions take one connection of the pool, not all of them.
      const refusedFor = await runExclusive(names.at(-1) ?? '', () => db.transaction(count))
      if (refusedFor > 0) throw tooMany(Math.ceil(refusedFor / 1000))
    },

    async forgetExpired() {
      await db.delete(emailQuestions).where(lte(emailQuestions.askedAt, new Date(now().getTime() - hour)))
    },
  }
}
