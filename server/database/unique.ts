import type { RefusalCode } from '#contract/refusals.ts'
import { nameTakenMessage } from '#contract/tradingview-name.ts'
import { conflict, type Refusal } from '../errors.ts'
import { causeOf } from './connect.ts'

export const refusalsByIndex: Record<string, [RefusalCode, string]> = {
  users_email_unique: ['email-taken', 'There is already an account with this email.'],
  purchases_one_live: ['already-subscribed', 'There is already an active subscription for this account.'],
  access_name: ['name-taken', nameTakenMessage],
  discount_codes_code_unique: ['already-listed', 'There is a code of this name already.'],
  recommended_assets_ticker: ['already-listed', 'This symbol is already on the list.'],
}

export function duplicateRefusal(error: unknown): Refusal | undefined {
  const { cause, code } = causeOf(error)
  if (code !== '23505') return undefined
  const { constraint = '' } = cause as { constraint?: string }
  const refusal = refusalsByIndex[constraint]
  return refusal && conflict(...refusal)
}
