import { Failure } from '../failure.ts'
import type { Fault } from '../quirks.ts'
import type { Work } from '../work.ts'

export const serverError = () =>
  new Failure(500, {
    type: 'api_error',
    message: 'An unknown error occurred. Please retry the request or contact support.',
  })

const rateLimited = () =>
  new Failure(429, {
    type: 'invalid_request_error',
    code: 'rate_limit',
    message:
      'Request rate limit exceeded. Learn more about rate limits here https://stripe.com/docs/rate-limits.',
  })

/** Most of Stripe's refusals have no code. */
const refused = () =>
  new Failure(400, { type: 'invalid_request_error', message: 'This request cannot be completed.' })

/** Comes before the request is looked at: nothing is done, and nothing is kept. */
export const isEarly = ({ status }: Fault) => status < 500
export const isLate = ({ status }: Fault) => status >= 500

export const earlyFailure = ({ status }: Fault) => (status === 429 ? rateLimited() : refused())

/** The next fault requested for this kind of call. Each hits one request, even when two come at once. */
export async function orderedFault(
  { database, quirks }: Work,
  request: string,
  isMeant: (fault: Fault) => boolean,
): Promise<Fault | undefined> {
  if (!quirks.faults.some(isMeant)) return undefined
  const { rows } = await database.query<{ faults: Fault[] | null }>(
    `select mischief->'faults' as faults from sandbox.settings for update`,
  )
  const faults = rows[0]?.faults ?? []
  const index = faults.findIndex((fault) => isMeant(fault) && request.startsWith(fault.on ?? ''))
  if (index < 0) return undefined
  const [taken] = faults.splice(index, 1)
  await database.query(`update sandbox.settings set mischief = jsonb_set(mischief, '{faults}', $1)`, [
    JSON.stringify(faults),
  ])
  return taken
}

/** A write that fails at random, before or after its work. */
export async function randomFault(work: Work): Promise<Fault | undefined> {
  const { failing } = work.quirks
  if (failing === 0) return undefined
  const chance = await work.chance()
  return chance() < failing ? { status: 500, done: chance() < 0.5 } : undefined
}
