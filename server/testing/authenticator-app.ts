import { factors } from '#contract/identity/factors.ts'
import { codeAt } from '../features/identity/factors/factors.ts'
import type { TestShop } from './open-shop.ts'
import type { Visitor } from './visitor.ts'

/** A phone with an authenticator app, set up for this person; `code` is what its screen shows. */
export async function addApp(shop: Pick<TestShop, 'clock'>, person: Visitor) {
  const { secret, sealed } = await person.call(factors.beginAppCodes, {})
  const codeIn = (of: Pick<TestShop, 'clock'>) => codeAt(secret, Math.floor(of.clock.now().getTime() / 30_000))
  const confirmed = await person.call(factors.confirmAppCodes, { sealed, code: codeIn(shop) })
  // That code is spent; the screen shows the next one.
  shop.clock.advance({ minutes: 1 })
  return { secret, recoveryCodes: confirmed.recoveryCodes ?? [], code: () => codeIn(shop), codeIn }
}
