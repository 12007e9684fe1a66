import { inArray } from 'drizzle-orm'
import { liveStatuses } from '#contract/statuses.ts'
import { purchases } from './schema.ts'

/** True for a purchase that gives its owner access. */
export const isLivePurchase = inArray(purchases.status, [...liveStatuses])
