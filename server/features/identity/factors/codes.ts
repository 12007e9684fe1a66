import type { Actor, User } from '#server/actor.ts'
import type { Database, Transaction } from '#server/database/connect.ts'
import type { Attempts } from '#server/security/attempts.ts'
import type { SecurityLog } from '#server/security/security-log.ts'
import { type AppCodes, wrongCode } from './app-codes.ts'
import { recovery } from './recovery-codes.ts'

type Dependencies = {
  db: Database
  now: () => Date
  attempts: Attempts
  securityLog: SecurityLog
  appCodes: AppCodes
}

type Typed = {
  userId: string
  code: string
  /** A device of theirs has tries of its own: nobody else can use them up. */
  device?: string | undefined
}

/** Five wrong ones, then a quarter of an hour's rest: nobody guesses one of a million. */
const limit = { requests: 5, seconds: 900 }

export const isFromApp = (typed: string) => /^[\d\s-]*$/.test(typed)

export type Codes = ReturnType<typeof createCodes>

/** Codes that people type: from the app, or one of the ten for emergencies. Each works once. */
export function createCodes({ db, now, attempts, securityLog, appCodes }: Dependencies) {
  async function spend(
    { ip }: Actor<User | null>,
    { userId, device }: Typed,
    use: (tx: Transaction) => Promise<boolean>,
  ) {
    await attempts.count('code', userId, limit, { device })
    if (!(await db.transaction(use))) {
      securityLog('code refused', { ip, user: { id: userId } })
      throw wrongCode()
    }
    await attempts.clear('code', userId, device)
  }

  return {
    useFromApp: (actor: Actor<User | null>, typed: Typed) =>
      spend(actor, typed, (tx) => appCodes.use(tx, typed.userId, typed.code)),

    useForRecovery: (actor: Actor<User | null>, typed: Typed) =>
      spend(actor, typed, (tx) => recovery.use(tx, typed.userId, typed.code, now())),
  }
}
