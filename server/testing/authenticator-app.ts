import { factors } from '#contract/identity/factors.ts'
import { codeAt } from '../features/identity/factors/factors.ts'
import type { TestShop } from './open-shop.ts'
import type { Visitor } from './visitor.ts'

export async function addApp(shop: Pick<TestShop, 'clock'>, person: Visitor) {
  const { secret, sealed } = await person.call(factors.beginAppCodes, {})
  const codeIn = ({ clock }: Pick<TestShop, 'clock'>) => codeAt(secret, Math.floor(clock.now().getTime() / 30_000))
  const confirmed = await person.call(factors.confirmAppCodes, { sealed, code: codeIn(shop) })
  // The set-up has used the current code, so the app continues with the next one.
  shop.clock.advance({ minutes: 1 })
  return { secret, recoveryCodes: confirmed.recoveryCodes ?? [], code: () => codeIn(shop), codeIn }
}
