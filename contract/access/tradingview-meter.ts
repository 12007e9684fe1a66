import { instant } from '../fields.ts'
import { type InferOutput, object } from '../schema.ts'

/** People with access now, and the forecast for the month's end. */
export const meter = object((z) => ({
  people: z.int(),
  foreign: z.int(),
  limit: z.nullable(z.int()),
  /** The month's last day. */
  lastDay: instant(z),
  forecast: z.int(),
  endBefore: z.int(),
  newAtThisPace: z.int(),
  waiting: z.int(),
  /** How near it is to what TradingView is reported to bill for, whatever the shop's own limit. */
  level: z.enum(['calm', 'near', 'full']),
}))
export type Meter = InferOutput<typeof meter>
