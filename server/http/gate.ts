import { dayMs } from '#contract/dates.ts'
import type { Endpoint } from '#contract/endpoint.ts'
import { hasPermission, isPermission, isStaff } from '#contract/permissions.ts'
import { type Proof, strongProofs, type WayToProve } from '#contract/statuses.ts'
import type { User } from '../actor.ts'
import type { Transaction } from '../database/connect.ts'
import { Refusal } from '../errors.ts'
import type { SecurityLog } from '../security/security-log.ts'

export type Session = { id: string; user: User; provenBy: Proof; provenAt: Date; proofUsedAt: Date | null }

type Dependencies = {
  now: () => Date
  staffNeedFactor: boolean
  /** In production, everyone needs a fresh proof; elsewhere, only people with a second factor. */
  production: boolean
  waysToProve(user: User, tx?: Transaction): Promise<{ ways: WayToProve[]; hasFactor: boolean }>
  /** Keeps the proof from expiring. */
  recordProofUse(sessionId: string, tx?: Transaction): Promise<void>
  securityLog: SecurityLog
}

/** Proofs expire 10 minutes after the last call that needed them, and 60 minutes after they were given. */
const proofIdleMs = 10 * 60_000
const proofMaxAgeMs = 60 * 60_000
/** Maximum age of a proof for `fresh: 'today'` calls by people without a second factor. */
const freshTodayMs = dayMs
/** A burst of calls writes `proofUsedAt` once. */
const proofUseIntervalMs = 30_000

export type Gate = ReturnType<typeof createGate>

export function createGate(deps: Dependencies) {
  const { now, staffNeedFactor, production, waysToProve, recordProofUse, securityLog } = deps
  const mustSetUp = ({ user, provenBy }: Session) =>
    staffNeedFactor && isStaff(user) && !strongProofs.some((proof) => proof === provenBy)

  function assertAllowed({ access, path }: Endpoint, { user }: Session, ip: string) {
    if (access === 'public' || access === 'user' || hasPermission(user, access)) return
    securityLog('admin call refused', { user, ip }, { route: path })
    throw new Refusal(403, 'forbidden', "You don't have admin access.")
  }

  /** Staff calls always need a proven address: an admin who creates an account does not vouch for its mailbox. */
  function assertProven({ access, proven }: Endpoint, { user }: Session) {
    const needsProvenAddress = proven || isPermission(access)
    if (needsProvenAddress && !user.isProven)
      throw new Refusal(403, 'unproven', 'Confirm your address first. We’ll email you a link.')
  }

  async function assertFresh(fresh: Endpoint['fresh'], { id, user, provenAt, proofUsedAt }: Session, tx?: Transaction) {
    if (!fresh) return
    const msSince = (time: Date) => now().getTime() - time.getTime()
    const ageMs = msSince(provenAt)
    const wasProofUsed = proofUsedAt !== null && proofUsedAt > provenAt
    const idleMs = msSince(wasProofUsed ? proofUsedAt : provenAt)
    if (idleMs < proofIdleMs && ageMs < proofMaxAgeMs) {
      if (idleMs >= proofUseIntervalMs) await recordProofUse(id, tx)
      return
    }
    const { ways, hasFactor } = await waysToProve(user, tx)
    if (!production && !hasFactor) return
    if (fresh === 'today' && !hasFactor && ageMs < freshTodayMs) return
    if (ways.length === 0)
      throw new Refusal(
        403,
        'password-missing',
        'Please choose a password first: “Forgot password?” emails you a link.',
      )
    if (fresh === 'or password' && ways.includes('password')) return
    throw new Refusal(403, 'prove-again', 'Please confirm that it’s you.', { again: ways })
  }

  return {
    mustSetUp,
    assertFresh,

    /** Undefined for public calls without a usable session. */
    async authorize(endpoint: Endpoint, session: Session | undefined, ip: string): Promise<Session | undefined> {
      const isPublic = endpoint.access === 'public'
      if (!session) {
        if (isPublic) return undefined
        throw new Refusal(401, 'login-required', 'Please log in first')
      }
      if (mustSetUp(session) && !endpoint.duringFactorSetup) {
        if (isPublic) return undefined
        throw new Refusal(403, 'second-step-missing', 'This shop asks its admins for a second step. It takes a minute.')
      }
      assertAllowed(endpoint, session, ip)
      assertProven(endpoint, session)
      await assertFresh(endpoint.fresh, session)
      return session
    },
  }
}
