import { eq } from 'drizzle-orm'
import type { Database } from '#server/database/connect.ts'
import { users } from '#server/database/schema.ts'
import { Refusal } from '#server/errors.ts'
import type { Secrets } from '#server/security/secrets.ts'
import { hashToken } from '#server/security/tokens.ts'
import type { Authenticated } from '../sessions/sessions.ts'

/** In seconds. */
export const halfLoginLifetime = 300

const over = () => new Refusal(401, 'timed-out', 'That took too long. Please log in again.')
const purpose = 'half a login'

type Dependencies = { db: Database; now: () => Date; secrets: Pick<Secrets, 'seal' | 'open'> }

export type HalfLogin = ReturnType<typeof createHalfLogin>

/**
 * The password was right, and a second step is to follow. The browser keeps that, sealed, for five minutes; it opens
 * nothing else, and nothing is stored here.
 */
export function createHalfLogin({ db, now, secrets }: Dependencies) {
  return {
    begin({ userId, passwordHash }: Authenticated): string {
      const ends = now().getTime() + halfLoginLifetime * 1000
      return secrets.seal(JSON.stringify({ userId, password: hashToken(passwordHash ?? ''), ends }), purpose)
    },

    /** Whose it is. A password that was changed meanwhile ends it. */
    async read(token: string | undefined): Promise<Omit<Authenticated, 'provenBy'>> {
      const { userId, password, ends } = open(token)
      if (ends < now().getTime()) throw over()
      const [user] = await db
        .select({ passwordHash: users.passwordHash })
        .from(users)
        .where(eq(users.id, userId))
      if (!user || hashToken(user.passwordHash ?? '') !== password) throw over()
      return { userId, passwordHash: user.passwordHash, refusal: over }
    },
  }

  function open(token = ''): { userId: string; password: string; ends: number } {
    try {
      return JSON.parse(secrets.open(token, purpose))
    } catch {
      throw over()
    }
  }
}
