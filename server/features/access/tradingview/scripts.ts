import { eq } from 'drizzle-orm'
import type { tradingViewAdmin as calls } from '#contract/access/tradingview-admin.ts'
import type { RawOutputOf } from '#contract/endpoint.ts'
import type { Actor } from '#server/actor.ts'
import type { Context } from '#server/context.ts'
import { tvScripts } from '#server/database/schema.ts'
import { conflict, notFound, Refusal } from '#server/errors.ts'
import type { Product } from '#server/features/selling/catalog/catalog.ts'
import { isPineId, TradingViewFailure } from '#server/gateways/tradingview.ts'
import { asRefusal } from './connection.ts'
import type { Connector } from './connector.ts'
import type { ScriptRow } from './plan.ts'

type ScriptContext = Pick<Context, 'db' | 'now' | 'queue' | 'audit' | 'catalog'>

export type Scripts = {
  list(): Promise<RawOutputOf<typeof calls.scripts>>
  /** Products on sale that have no script. Empty while TradingView is not connected. */
  productsWithoutScript(): Promise<Product[]>
  choose(actor: Actor, pineId: string, productId: string): Promise<void>
  drop(actor: Actor, pineId: string): Promise<void>
}

export function createScripts(
  { db, now, queue, audit, catalog }: ScriptContext,
  { connection, connectorChanged }: Connector,
): Scripts {
  /** Empty if TradingView does not answer. */
  async function readAccountScripts() {
    const opened = await connection.open()
    if (!opened) return []
    try {
      return await opened.client.scripts()
    } catch (error) {
      if (!(error instanceof TradingViewFailure)) throw error
      await connection.health.recordFailure(error)
      return []
    }
  }

  return {
    async list() {
      const chosen = await db.select().from(tvScripts).orderBy(tvScripts.createdAt)
      const accountScripts = await readAccountScripts()
      const describeChosen = async ({ pineId, productId, name: storedName, problem }: ScriptRow) => {
        const { name: product } = await catalog.findRow(productId)
        const name = accountScripts.find((script) => script.pineId === pineId)?.name ?? storedName
        return { pineId, name, product, problem }
      }
      const chosenScripts = await Promise.all(chosen.map(describeChosen))
      const otherScripts = accountScripts.filter(({ pineId }) => !chosen.some((script) => script.pineId === pineId))
      return [...chosenScripts, ...otherScripts.map((script) => ({ ...script, product: null, problem: null }))]
    },

    async productsWithoutScript() {
      const row = await connection.current()
      if (!row || row.state === 'off') return []
      const chosen = await db.selectDistinct({ productId: tvScripts.productId }).from(tvScripts)
      return catalog.productsOnSale().filter(({ id }) => !chosen.some(({ productId }) => productId === id))
    },

    async choose(actor, pineId, productId) {
      if (!isPineId(pineId)) throw new Refusal(400, 'invalid-input', 'This is not the id of a TradingView script.')
      if (!catalog.findById(productId)) throw notFound('Product')
      const client = await connection.requireClient()
      const accountScripts = await client.scripts().catch((error: unknown) => {
        throw asRefusal(error)
      })
      const script = accountScripts.find((accountScript) => accountScript.pineId === pineId)
      if (!script) throw conflict('not-own-script', 'This script is not one of the connected account’s own.')
      const { name } = script
      await db.transaction(async (tx) => {
        await tx
          .insert(tvScripts)
          .values({ pineId, productId, name, createdAt: now() })
          .onConflictDoUpdate({ target: tvScripts.pineId, set: { problem: null, name, productId } })
        await connectorChanged(tx)
        await audit.record(tx, actor, { action: 'tradingview.script', subject: name, detail: { pineId } })
      })
      await queue.trigger('tradingview-reconcile')
    },

    async drop(actor, pineId) {
      await db.transaction(async (tx) => {
        const [dropped] = await tx.delete(tvScripts).where(eq(tvScripts.pineId, pineId)).returning()
        if (!dropped) throw notFound('Script')
        await connectorChanged(tx)
        const subject = dropped.name
        await audit.record(tx, actor, { action: 'tradingview.drop-script', subject, detail: { pineId } })
      })
    },
  }
}
