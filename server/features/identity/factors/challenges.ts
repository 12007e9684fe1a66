import { randomBytes } from 'node:crypto'
import type { Context } from '#server/context.ts'
import { Refusal } from '#server/errors.ts'

type ChallengeDeps = Pick<Context, 'now' | 'attempts' | 'linkToken' | 'isLinkToken'>

/** Signed tokens with an expiry, so that only their use is stored. */
export type Challenges = {
  /** For a login, `userId` is empty: the passkey tells the account. */
  create(userId: string): string
  /** Returns the challenge that a response answers. Throws if it is not ours, expired or used before. */
  useFrom(response: Record<string, unknown>, userId: string): Promise<string>
}

export const challengeLifetimeMs = 300_000

const staleChallenge = () => new Refusal(400, 'timed-out', 'That took too long. Please try again.')

export function createChallenges({ now, attempts, linkToken, isLinkToken }: ChallengeDeps): Challenges {
  const purposeFor = (userId: string) => `passkey challenge ${userId}`

  /** Throws on the second use, even under concurrency in two processes. */
  async function use(challenge: string, userId: string) {
    const [expiresAtMs = '', random = '', signature = '', ...extraParts] = challenge.split('.')
    const signedText = `${expiresAtMs}.${random}`
    // Refuses extra parts, because a challenge with one more part would not count as used.
    const isOurs = extraParts.length === 0 && isLinkToken(purposeFor(userId), signedText, signature)
    if (!isOurs || Number(expiresAtMs) < now().getTime()) throw staleChallenge()
    const oneUse = { requests: 1, seconds: challengeLifetimeMs / 1000 }
    if (!(await attempts.countAndCheck('challenge', challenge, oneUse))) throw staleChallenge()
  }

  return {
    create(userId) {
      const expiresAtMs = now().getTime() + challengeLifetimeMs
      const signedText = `${expiresAtMs}.${randomBytes(16).toString('base64url')}`
      return `${signedText}.${linkToken(purposeFor(userId), signedText)}`
    },

    async useFrom(response, userId) {
      const challenge = challengeIn(response)
      if (!challenge) throw staleChallenge()
      await use(Buffer.from(challenge, 'base64url').toString(), userId)
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
