import { and, eq, gt, lt, or, sql } from 'drizzle-orm'
import type { Database, Transaction } from '../database/connect.ts'
import { attempts } from '../database/schema.ts'
import { tooMany } from '../errors.ts'
import { type Network, networksOf } from '../http/addresses.ts'
import { hashToken } from './tokens.ts'

export type Attempts = ReturnType<typeof createAttempts>

type Dependencies = {
  db: Database
  now: () => Date
  /** Off in most tests, where every visitor has the same address. */
  limitsAddressLookups?: boolean
}
export type Limit = { requests: number; seconds: number }
type Options = { device?: string | undefined; tx?: Transaction | Database }

// Stores only a hash of typed addresses, which may belong to people who are not customers.
function keyOf(kind: string, subject: string, device?: string) {
  const key = `${kind}:${hashToken(subject)}`
  return device ? `${key}:${hashToken(device)}` : key
}

/**
 * Counts across all processes. Attempts from a `device` that the account has used before count separately,
 * so that strangers cannot lock its owner out.
 */
export function createAttempts({ db, now, limitsAddressLookups = true }: Dependencies) {
  /** Counts one more attempt. Returns 0 within the limit. */
  async function secondsToWait(
    kind: string,
    subject: string | Network[],
    { requests, seconds }: Limit,
    { device, tx = db }: Options = {},
  ): Promise<number> {
    const endsAt = new Date(now().getTime() + seconds * 1000)
    const isOver = lt(attempts.endsAt, now())
    // Counts a text as one limit, and an IP address as a limit for each of its networks.
    const limits =
      typeof subject === 'string'
        ? new Map([[keyOf(kind, subject, device), requests]])
        : new Map(subject.map(({ network, limitFactor }) => [keyOf(kind, network, device), requests * limitFactor]))
    const rows = await tx
      .insert(attempts)
      .values([...limits.keys()].map((key) => ({ key, count: 1, endsAt })))
      .onConflictDoUpdate({
        target: attempts.key,
        set: {
          count: sql`case when ${isOver} then 1 else ${attempts.count} + 1 end`,
          endsAt: sql`case when ${isOver} then excluded.ends_at else ${attempts.endsAt} end`,
        },
      })
      .returning()
    const waits = rows
      .filter(({ key, count }) => count > (limits.get(key) ?? requests))
      .map(({ endsAt: until }) => Math.max(1, Math.ceil((until.getTime() - now().getTime()) / 1000)))
    return Math.max(0, ...waits)
  }

  /** Clears the attempts from all devices. */
  async function clearFromAnywhere(tx: Transaction, kinds: string[], subject: string) {
    const prefixes = kinds.map((kind) => keyOf(kind, subject))
    await tx.delete(attempts).where(or(...prefixes.map((prefix) => sql`starts_with(${attempts.key}, ${prefix})`)))
  }

  /** Counts one more attempt. Returns true within the limit. */
  const countAndCheck = async (kind: string, subject: string | Network[], limit: Limit, options?: Options) =>
    (await secondsToWait(kind, subject, limit, options)) === 0

  async function countOrRefuse(kind: string, subject: string | Network[], limit: Limit, options?: Options) {
    const seconds = await secondsToWait(kind, subject, limit, options)
    if (seconds > 0) throw tooMany(seconds)
  }

  return {
    countAndCheck,

    countOrRefuse,

    /**
     * Sign-up and checkout reveal that an email address is taken. 200 of them an hour are enough for the networks of
     * companies and mobile carriers; the same email address again is not counted.
     */
    async countAddressLookup(ip: string, email: string) {
      if (!limitsAddressLookups) return
      const networks = networksOf(ip)
      const key = `${networks[0]?.network} ${email}`
      const isCounted = and(eq(attempts.key, keyOf('asked', key)), gt(attempts.endsAt, now()))
      if ((await db.$count(attempts, isCounted)) > 0) return
      // 'questions' counts the addresses that a network looked up, and 'asked' remembers each of them for an hour.
      await countOrRefuse('questions', networks, { requests: 200, seconds: 3600 })
      await secondsToWait('asked', key, { requests: 1, seconds: 3600 })
    },

    /** Counts the email. Allows at most 3 of a kind a day, against flooding. */
    mayMail: (tx: Transaction, kind: string, subject: string) =>
      countAndCheck(kind, subject, { requests: 3, seconds: 86_400 }, { tx }),

    /** Like `mayMail`, but counted per network, so that strangers can't use up the owner's limit. */
    mayMailFrom: (tx: Transaction, kind: string, ip: string, subject: string) =>
      countAndCheck(kind, `${networksOf(ip)[0]?.network} ${subject}`, { requests: 3, seconds: 86_400 }, { tx }),

    async clear(kind: string, subject: string, device?: string) {
      await db.delete(attempts).where(eq(attempts.key, keyOf(kind, subject, device)))
    },

    clearAll: (tx: Transaction, email: string) => clearFromAnywhere(tx, ['login', 'reset'], email),

    clearCodes: (tx: Transaction, userId: string) => clearFromAnywhere(tx, ['code'], userId),

    async forgetExpired() {
      await db.delete(attempts).where(lt(attempts.endsAt, now()))
    },
  }
}
