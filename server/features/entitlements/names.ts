import { and, eq } from 'drizzle-orm'
import type { NameProblem } from '#contract/statuses.ts'
import { keyOfName } from '#contract/tradingview-name.ts'
import type { Transaction } from '../../database/connect.ts'
import { entitlements } from '../../database/schema.ts'

type Checked = { username: string; problem: NameProblem | null; similar: string[]; at: Date }

/** What TradingView says about a claimed name; nothing if another name has been claimed in the meantime. */
export async function recordCheckedName(
  tx: Transaction,
  id: string,
  { username, problem, similar, at }: Checked,
) {
  await tx
    .update(entitlements)
    .set({ username, problem, similar, checkedAt: at })
    .where(and(eq(entitlements.id, id), eq(entitlements.usernameKey, keyOfName(username))))
}
