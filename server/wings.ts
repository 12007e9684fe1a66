import type { Context } from './context.ts'
import { type Access, openAccess } from './features/access/open-access.ts'
import { openDesk } from './features/desk/desk.ts'
import { openIdentity } from './features/identity/identity.ts'
import { openSelling, type Selling } from './features/selling/selling.ts'
import { openSite } from './features/site/site.ts'

/** A wing knows those before it; what it must tell a later one goes through a function named after what happened. */
export function openWings(context: Context) {
  const identity = openIdentity(context, {
    accountChanged: (tx, userId) => selling.customers.accountChanged(tx, userId),
    endOpenLinks: (tx, userId) => selling.declarations.endOpenLinks(tx, userId),
    usernameGiven: (tx, given) => access.effects.usernameGiven(tx, given),
  })
  const selling: Selling = openSelling(context, {
    identity,
    access: {
      purchasesChanged: (tx, userId) => access.effects.purchasesChanged(tx, userId),
      usernameGiven: (tx, given) => access.effects.usernameGiven(tx, { ...given, by: null }),
      unlocksItself: (tx, productId) => access.effects.unlocksItself(tx, productId),
    },
  })
  const access: Access = openAccess(context, identity)
  const site = openSite(context)
  const desk = openDesk(context, { identity, selling, access, site })
  return { identity, selling, access, site, desk }
}
