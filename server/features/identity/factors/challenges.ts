import { randomBytes } from 'node:crypto'
import type { Context } from '#server/context.ts'
import { Refusal } from '#server/errors.ts'

type ChallengeDeps = Pick<Context, 'now' | 'attempts' | 'linkToken' | 'isLinkToken'>

/** Challenges that passkeys sign. Each is a signed token with an expiry, so that only its use is stored. */
export type Challenges = {
  /** `whose`: the account it is for, or empty if any account may answer. */
  make(whose: string): string
  spendIn(response: Record<string, unknown>, whose: string): Promise<string>
}

export const challengeLifetimeMs = 300_000

const staleChallenge = () => new Refusal(400, 'timed-out', 'That took too long. Please try again.')

export function createChallenges({ now, attempts, linkToken, isLinkToken }: ChallengeDeps): Challenges {
  const purpose = (whose: string) => `passkey challenge ${whose}`

  /** Throws on the second use, even under concurrency in two processes. */
  async function spend(challenge: string, whose: string) {
    const [end = '', random = '', signature = '', ...more] = challenge.split('.')
    const text = `${end}.${random}`
    // A longer token would count as a different challenge.
    const isOurs = more.length === 0 && isLinkToken(purpose(whose), text, signature)
    if (!isOurs || Number(end) < now().getTime()) throw staleChallenge()
    const once = { requests: 1, seconds: challengeLifetimeMs / 1000 }
    if (!(await attempts.allows('challenge', challenge, once))) throw staleChallenge()
  }

  return {
    make(whose) {
      const end = now().getTime() + challengeLifetimeMs
      const text = `${end}.${randomBytes(16).toString('base64url')}`
      return `${text}.${linkToken(purpose(whose), text)}`
    },

    async spendIn(response, whose) {
      const challenge = challengeIn(response)
      if (!challenge) throw staleChallenge()
      await spend(Buffer.from(challenge, 'base64url').toString(), whose)
      return challenge
    },
  }
}

function challengeIn({ response }: Record<string, unknown>): string | undefined {
  try {
    const { clientDataJSON } = response as { clientDataJSON: string }
    const { challenge }: { challenge: unknown } = JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString())
    return typeof challenge === 'string' ? challenge : undefined
  } catch {
    return undefined
  }
}
