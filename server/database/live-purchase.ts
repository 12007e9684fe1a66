import { inArray } from 'drizzle-orm'
import { liveStatuses } from '#contract/statuses.ts'
import { purchases } from './schema.ts'

/** Of a purchase: its owner has access. */
export const isLivePurchase = inArray(purchases.status, [...liveStatuses])
