import type { Context } from './context.ts'
import type { AreaEvents } from './events.ts'
import { type Access, openAccess } from './features/access/open-access.ts'
import { type AdminArea, openAdminArea } from './features/admin/admin.ts'
import { type Identity, openIdentity } from './features/identity/identity.ts'
import { openSelling, type Selling } from './features/selling/selling.ts'
import { openSite, type Site } from './features/site/site.ts'

export type Areas = { identity: Identity; selling: Selling; access: Access; site: Site; admin: AdminArea }

/** Opens each area with the areas before it. `events` lets an area call areas that open later. */
export function openAreas(context: Context): Areas {
  const events: AreaEvents = {
    accountChanged: (tx, userId) => selling.customers.accountChanged(tx, userId),
    endDeclarationLinks: (tx, userId) => selling.declarations.endDeclarationLinks(tx, userId),
    purchasesChanged: (tx, userId) => access.core.refresh(tx, userId),
    usernameEntered: (tx, entered) => access.core.names.setUsername(tx, { ...entered, byAdmin: null }),
    isUnlockedByConnector: (tx, productId) => access.isUnlockedByConnector(tx, productId),
  }
  const identity = openIdentity(context, events)
  const selling: Selling = openSelling(context, { identity, access: events })
  const access: Access = openAccess(context, identity)
  const site = openSite(context)
  const admin = openAdminArea(context, { identity, selling, access, site })
  return { identity, selling, access, site, admin }
}
