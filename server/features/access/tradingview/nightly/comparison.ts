import type { Database } from '#server/database/connect.ts'
import type { TradingViewClient } from '#server/gateways/tradingview.ts'
import type { Mails } from '#server/mails/mails.ts'

/** What it takes to compare a list with what is wanted. */
export type Comparison = { db: Database; now: () => Date; mails: Mails; client: TradingViewClient }
