import type { Endpoint } from '#contract/endpoint.ts'
import { isStaff, type Proof, strongProofs, type WayToProve } from '#contract/statuses.ts'
import type { User } from '../actor.ts'
import { Refusal } from '../errors.ts'
import type { SecurityLog } from '../security/security-log.ts'

/** A session as the gate sees it: whose it is, and how and when they last showed who they are. */
export type Session = { id: string; user: User; provenBy: Proof; provenAt: Date }

type Dependencies = {
  now: () => Date
  /** Whether staff need a second step here (`ADMIN_TWO_FACTOR`). */
  staffNeedFactor: boolean
  /** In production everybody is asked again; elsewhere only those with a second factor of their own. */
  production: boolean
  /** What this person can show once more, and whether they have set up a second factor. */
  waysToProve(user: User): Promise<{ ways: WayToProve[]; hasFactor: boolean }>
  securityLog: SecurityLog
}

/** How long a proof lasts. */
const freshFor = 10 * 60_000

export type Gate = ReturnType<typeof createGate>

/** Decides who may call what: by role, by second step, and by how long ago they showed who they are. */
export function createGate({ now, staffNeedFactor, production, waysToProve, securityLog }: Dependencies) {
  const mustSetUp = ({ user, provenBy }: Session) =>
    staffNeedFactor && isStaff(user) && !strongProofs.some((proof) => proof === provenBy)

  function assertAllowed({ access, path }: Endpoint, { user }: Session, ip: string) {
    if (access === 'staff' ? isStaff(user) : access !== 'admin' || user.isAdmin) return
    securityLog('admin call refused', { user, ip }, { route: path })
    throw new Refusal(403, "You don't have admin access.")
  }

  async function assertFresh({ fresh }: Endpoint, { user, provenAt }: Session) {
    if (!fresh || now().getTime() - provenAt.getTime() < freshFor) return
    const { ways, hasFactor } = await waysToProve(user)
    if (!production && !hasFactor) return
    if (fresh === 'or password' && ways.includes('password')) return
    throw new Refusal(403, sentences.again, { again: ways })
  }

  return {
    mustSetUp,

    /** The session to go on with; undefined for a visitor, whom only a public call lets in. */
    async enter(endpoint: Endpoint, session: Session | undefined, ip: string): Promise<Session | undefined> {
      const isPublic = endpoint.access === 'public'
      if (!session) {
        if (isPublic) return undefined
        throw new Refusal(401, 'Please log in first')
      }
      if (mustSetUp(session) && !endpoint.whileSettingUp) {
        if (isPublic) return undefined
        throw new Refusal(403, sentences.setUp)
      }
      assertAllowed(endpoint, session, ip)
      await assertFresh(endpoint, session)
      return session
    },
  }
}

const sentences = {
  again: 'Please confirm that it’s you.',
  setUp: 'This shop asks its admins for a second step. It takes a minute.',
}
