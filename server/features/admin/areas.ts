import type { Access } from '../access/open-access.ts'
import type { Identity } from '../identity/identity.ts'
import type { Selling } from '../selling/selling.ts'
import type { Site } from '../site/site.ts'

export type Areas = { identity: Identity; selling: Selling; access: Access; site: Site }
