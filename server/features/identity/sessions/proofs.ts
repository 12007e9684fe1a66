import { eq } from 'drizzle-orm'
import type { Proof } from '#contract/statuses.ts'
import type { Actor } from '#server/actor.ts'
import type { Database, Transaction } from '#server/database/connect.ts'
import { sessions } from '#server/database/schema.ts'

/** How, and how lately, a session's owner has shown who they are. */
export function createProofs({ db, now }: { db: Database; now: () => Date }) {
  return {
    async provenBy(sessionId: string | null): Promise<Proof | undefined> {
      const [found] = await db
        .select({ provenBy: sessions.provenBy })
        .from(sessions)
        .where(eq(sessions.id, sessionId ?? ''))
      return found?.provenBy
    },

    /** They have just shown once more who they are; `by` says how, if that is worth more than before. */
    async prove(tx: Transaction | Database, { sessionId }: Actor, by?: Proof) {
      await tx
        .update(sessions)
        .set({ provenAt: now(), ...(by && { provenBy: by }) })
        .where(eq(sessions.id, sessionId ?? ''))
    },

    async useProof(sessionId: string) {
      await db.update(sessions).set({ proofUsedAt: now() }).where(eq(sessions.id, sessionId))
    },
  }
}
