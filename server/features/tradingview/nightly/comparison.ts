import type { Database } from '../../../database/connect.ts'
import type { TradingViewClient } from '../../../gateways/tradingview.ts'
import type { Mails } from '../../mails/mails.ts'

/** What it takes to compare a list with what is wanted. */
export type Comparison = { db: Database; now: () => Date; mails: Mails; client: TradingViewClient }
