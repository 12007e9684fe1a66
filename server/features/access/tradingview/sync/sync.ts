import { eq, inArray, sql } from 'drizzle-orm'
import type { Database } from '#server/database/connect.ts'
import { tvGrants } from '#server/database/schema.ts'
import { type TradingViewClient, TradingViewFailure } from '#server/gateways/tradingview.ts'
import type { Mails } from '#server/mails/mails.ts'
import type { Connections } from '../connection/connections.ts'
import type { ConnectionRow } from '../connection/row.ts'
import { createFailures, pauses } from './failures.ts'
import { oneMoreVersion, quiet } from './grants.ts'
import { plan } from './plan.ts'
import { createRecording } from './record.ts'
import { createSettle } from './settle.ts'

type Dependencies = {
  db: Database
  now: () => Date
  mails: Mails
  connections: Connections
  supportEmail: string
  /** Where a test may end the process; nothing in production. */
  crashPoint: (name: string) => void
  unlocked(seconds: number): void
}

type Opened = { row: ConnectionRow; client: TradingViewClient }
/** What came of one round over a person's names. */
type Round = { isSettled: boolean; isProof: boolean; pause?: number }

/** Somebody else may write while TradingView is asked; then the newer wish counts. */
const mostRounds = 10

/**
 * Brings TradingView in line with what one person may have: read, act, read again, store. Repeating it is harmless,
 * and a crash anywhere is mended by the next run. TradingView is called outside any transaction; a row's version
 * shows whether the wish changed meanwhile, and then everything starts over.
 */
export function createSync(deps: Dependencies) {
  const { db, now, connections } = deps
  const settle = createSettle({ ...deps, record: createRecording(deps) })
  const fail = createFailures(deps)

  async function round(userId: string, { row, client }: Opened, isFirst: boolean): Promise<Round> {
    const works = await db.transaction((tx) => plan(tx, userId, now()))
    const hasOldNames = works.some(({ entitlement }) => !entitlement)
    const result: Round = { isSettled: true, isProof: works.length > 0 }
    for (const work of works) {
      try {
        const isNewName = work.entitlement !== undefined && work.grant.isPresent !== true
        if (!(await settle(client, row.mode, work))) result.isSettled = false
        // An old name may be waiting for this one.
        else if (isFirst && isNewName && hasOldNames) result.isSettled = false
      } catch (error) {
        if (!(error instanceof TradingViewFailure)) throw error
        result.isProof = false
        const again = await fail(work, error)
        if (again !== undefined) result.pause = Math.min(result.pause ?? again, again)
      }
    }
    return result
  }

  /** Without a connection, only what is wanted is written down, for the day it is back. */
  async function waitForConnection(userId: string) {
    await db.transaction(async (tx) => {
      await plan(tx, userId, now())
      await tx.update(tvGrants).set({ nextTryAt: now() }).where(eq(tvGrants.userId, userId))
    })
  }

  return {
    /** Returns after how long to try again, if anything is left to do. */
    async sync(userId: string): Promise<number | undefined> {
      const opened = await connections.open()
      if (!opened) {
        await waitForConnection(userId)
        return undefined
      }
      for (let count = 0; count < mostRounds; count++) {
        const result = await round(userId, opened, count === 0)
        if (result.pause !== undefined) return result.pause
        if (!result.isSettled) continue
        // Nobody asked, or somebody failed: that says nothing about the connection.
        if (result.isProof) await connections.succeeded()
        return undefined
      }
      return pauses[0]
    },

    /** Whoever is due again: after a failure whose job was lost, or after a renewed session. */
    due: () =>
      db
        .selectDistinct({ userId: tvGrants.userId })
        .from(tvGrants)
        .where(sql`${tvGrants.nextTryAt} <= ${now()} and ${tvGrants.userId} is not null`),

    async retry(grantIds: string[]) {
      await db
        .update(tvGrants)
        .set({ ...quiet, nextTryAt: now(), ...oneMoreVersion })
        .where(inArray(tvGrants.id, grantIds))
    },
  }
}
