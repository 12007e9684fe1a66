import { eq, lt, sql } from 'drizzle-orm'
import type { Database, Transaction } from '../database/connect.ts'
import { attempts } from '../database/schema.ts'
import { tooMany } from '../errors.ts'
import { hashToken } from './tokens.ts'

export type Attempts = ReturnType<typeof createAttempts>

// Typed addresses may belong to people who are no customers: only a hash is kept.
const keyOf = (what: string, email: string) => `${what}:${hashToken(email)}`

/** Bounds how often something is tried for one e-mail address, whichever server process is asked and from wherever. */
export function createAttempts({ db, now }: { db: Database; now: () => Date }) {
  return {
    /** Counts one more try, and refuses it beyond `max` within `minutes` of the first. */
    async count(what: string, email: string, { max, minutes }: { max: number; minutes: number }) {
      const endsAt = new Date(now().getTime() + minutes * 60_000)
      const over = lt(attempts.endsAt, now())
      const [row] = await db
        .insert(attempts)
        .values({ key: keyOf(what, email), count: 1, endsAt })
        .onConflictDoUpdate({
          target: attempts.key,
          set: {
            count: sql`case when ${over} then 1 else ${attempts.count} + 1 end`,
            endsAt: sql`case when ${over} then excluded.ends_at else ${attempts.endsAt} end`,
          },
        })
        .returning()
      if (!row || row.count <= max) return
      throw tooMany(Math.max(1, Math.ceil((row.endsAt.getTime() - now().getTime()) / 1000)))
    },

    async clear(what: string, email: string, tx: Transaction | Database = db) {
      await tx.delete(attempts).where(eq(attempts.key, keyOf(what, email)))
    },

    async forgetExpired() {
      await db.delete(attempts).where(lt(attempts.endsAt, now()))
    },
  }
}
