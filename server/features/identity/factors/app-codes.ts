import { and, eq, lt } from 'drizzle-orm'
import { encode } from 'uqr'
import { brand } from '#contract/brand.ts'
import type { Actor } from '#server/actor.ts'
import type { Context } from '#server/context.ts'
import type { Database, Transaction } from '#server/database/connect.ts'
import { appCodes } from '#server/database/schema.ts'
import { notFound, Refusal } from '#server/errors.ts'
import type { Secrets } from '#server/security/secrets.ts'
import { otpAuthUrl, randomSecret, stepOfValidCode } from './totp.ts'

type AppCodeDeps = Pick<Context, 'now' | 'secrets'>

export type AppCodeSetUp = { secret: string; sealed: string; qr: { size: number; path: string } }

export type AppCodes = {
  /** Stores nothing, so that an app that was never confirmed locks nobody out. */
  begin(actor: Actor): AppCodeSetUp
  /** Stores the secret if the app's first code is right. That code can't be used again. */
  confirm(tx: Transaction, actor: Actor, setUp: { sealed: string; code: string }): Promise<void>
  /** True only for the first use of a code, even under concurrency. */
  use(tx: Transaction, userId: string, typed: string): Promise<boolean>
  remove(tx: Transaction, actor: Actor): Promise<void>
}

export const wrongCode = () => {
  const message = 'Wrong code. Codes change every 30 seconds; is your clock right?'
  return new Refusal(403, 'wrong-code', message, { fields: { code: message } })
}

/** Purpose that seals an unconfirmed secret, so that only its own account can confirm it. */
const unconfirmedPurpose = (userId: string) => `new app codes of ${userId}`

const digitsOf = (typed: string) => typed.replaceAll(/\D/g, '')

export function createAppCodes({ now, secrets }: AppCodeDeps): AppCodes {
  return {
    begin({ user }) {
      const secret = randomSecret()
      return {
        secret,
        sealed: secrets.seal(secret, unconfirmedPurpose(user.id)),
        qr: drawQr(otpAuthUrl(secret, brand.name, user.email)),
      }
    },

    async confirm(tx, { user }, { sealed, code }) {
      const secret = openUnconfirmed(secrets, sealed, user.id)
      const noStepUsedYet = 0
      const lastStep = stepOfValidCode(digitsOf(code), secret, now(), noStepUsedYet)
      if (lastStep === undefined) throw wrongCode()
      const values = { sealedSecret: secrets.seal(secret, user.id), lastStep, createdAt: now() }
      await tx
        .insert(appCodes)
        .values({ userId: user.id, ...values })
        .onConflictDoUpdate({ target: appCodes.userId, set: values })
    },

    async use(tx, userId, typed) {
      const [stored] = await tx.select().from(appCodes).where(eq(appCodes.userId, userId))
      if (!stored) return false
      const secret = secrets.open(stored.sealedSecret, userId)
      const step = stepOfValidCode(digitsOf(typed), secret, now(), stored.lastStep)
      if (step === undefined) return false
      const updated = await tx
        .update(appCodes)
        .set({ lastStep: step })
        .where(and(eq(appCodes.userId, userId), lt(appCodes.lastStep, step)))
      return updated.rowCount === 1
    },

    async remove(tx, { user }) {
      const deleted = await tx.delete(appCodes).where(eq(appCodes.userId, user.id))
      if (deleted.rowCount === 0) throw notFound('Authenticator app')
    },
  }
}

function openUnconfirmed(secrets: Secrets, sealed: string, userId: string): string {
  try {
    return secrets.open(sealed, unconfirmedPurpose(userId))
  } catch {
    throw new Refusal(400, 'invalid-input', 'Please start again: this QR code is not from here.')
  }
}

export async function resealAppCodes(db: Database, secrets: Secrets): Promise<{ resealed: number }> {
  const rows = await db.select({ userId: appCodes.userId, sealedSecret: appCodes.sealedSecret }).from(appCodes)
  let resealed = 0
  for (const { userId, sealedSecret } of rows) {
    if (secrets.isCurrent(sealedSecret)) continue
    const changed = await db
      .update(appCodes)
      .set({ sealedSecret: secrets.seal(secrets.open(sealedSecret, userId), userId) })
      .where(and(eq(appCodes.userId, userId), eq(appCodes.sealedSecret, sealedSecret)))
    resealed += changed.rowCount ?? 0
  }
  return { resealed }
}

/** SVG path on a grid of `size` squares. Drawn here, so that no other service sees the secret. */
function drawQr(text: string): { size: number; path: string } {
  const { size, data } = encode(text, { ecc: 'M', border: 2 })
  let path = ''
  for (const [y, row] of data.entries())
    for (const [x, isDark] of row.entries()) if (isDark) path += `M${x} ${y}h1v1h-1z`
  return { size, path }
}
