import { and, eq, inArray, isNotNull, isNull, notInArray, sql } from 'drizzle-orm'
import {
  accessRequests,
  entitlements,
  purchases,
  tvGrants,
  tvRuns,
  tvScripts,
} from '../../database/schema.ts'
import { type PeopleList, type TradingViewClient, TradingViewFailure } from '../../gateways/tradingview.ts'
import { type Entitlements, isEntitling } from '../entitlements/entitlements.ts'
import type { TradingView } from './connector.ts'
import { decide, takesAway } from './decide.ts'
import type { GrantRow } from './sync.ts'

type ScriptRow = typeof tvScripts.$inferSelect
type Run = Omit<typeof tvRuns.$inferInsert, 'scriptId' | 'startedAt'> & { toMend: string[] }

const walksAtMost = 3
/** So many people may lose something in one night without anybody being asked. */
const guardOf = (people: number) => Math.max(5, Math.floor(people / 10))

/** Every night: compares each script's whole list with what is wanted, and mends what differs. */
export function createReconcile(tradingView: TradingView, entitled: Pick<Entitlements, 'refresh' | 'claim'>) {
  const { db, now, mails, connections, supportEmail, deliverAll } = tradingView

  /** People who bought and asked before there was a connector, or while it was off. */
  async function catchUpWithShop() {
    const unknown = await db
      .select({
        userId: purchases.userId,
        productId: purchases.productId,
        username: accessRequests.tradingViewUsername,
      })
      .from(purchases)
      .innerJoin(accessRequests, eq(accessRequests.purchaseId, purchases.id))
      .leftJoin(
        entitlements,
        and(eq(entitlements.userId, purchases.userId), eq(entitlements.productId, purchases.productId)),
      )
      .where(
        and(
          isEntitling,
          inArray(accessRequests.status, ['requested', 'granted']),
          isNull(entitlements.username),
        ),
      )
      .orderBy(accessRequests.submittedAt)
    for (const { userId, productId, username } of unknown)
      await db.transaction((tx) => entitled.claim(tx, userId, productId, username))
  }

  /** A cursor dies when the list changes on the way: then once more from the start. */
  async function walk(client: TradingViewClient, pineId: string): Promise<PeopleList> {
    let list: PeopleList = { people: [], isComplete: false, pages: 0 }
    for (let tries = 0; tries < walksAtMost && !list.isComplete; tries++) list = await client.people(pineId)
    return list
  }

  /** Only a list that reached its end allows a conclusion. */
  async function compare(
    script: ScriptRow,
    { people, isComplete, pages }: PeopleList,
    mayRemove: boolean,
  ): Promise<Run> {
    const run: Run = { pages, isComplete, people: people.length, toMend: [] }
    if (!isComplete) return run
    const grants = await db.select().from(tvGrants).where(eq(tvGrants.scriptId, script.id))
    const known = new Map(grants.map((grant) => [grant.usernameKey, grant]))
    const listed = new Map(people.map((person) => [person.username.toLowerCase(), person]))
    const lost: GrantRow[] = []
    const counts = { missing: 0, wrong: 0, ended: 0, foreign: 0 }
    const mend: GrantRow[] = []
    for (const grant of grants) {
      const person = listed.get(grant.usernameKey)
      const observed = { isPresent: person !== undefined, until: person?.until ?? null }
      const wanted = { isWanted: grant.isWanted, until: grant.wantedUntil }
      await observe(grant, observed, person?.id ?? null)
      const action = decide(observed, wanted, grant.isOurs, now())
      if (action === 'nothing' || action === 'leave' || !grant.userId) continue
      counts[action === 'add' ? 'missing' : action === 'remove' ? 'ended' : 'wrong'] += 1
      if (takesAway(action, observed, wanted)) lost.push(grant)
      else mend.push(grant)
    }
    counts.foreign = await reportStrangers(script, people, known)
    const isTooMany = lost.length > guardOf(people.length) && !mayRemove
    if (!isTooMany) mend.push(...lost)
    return {
      ...run,
      ...counts,
      heldBack: isTooMany ? lost.length : 0,
      toMend: mend.flatMap(({ userId }) => userId ?? []),
    }
  }

  /** Whoever acts on this grant at the same moment has the newer answer. */
  async function observe(
    grant: GrantRow,
    seen: { isPresent: boolean; until: Date | null },
    rowId: string | null,
  ) {
    await db
      .update(tvGrants)
      .set({
        isPresent: seen.isPresent,
        presentUntil: seen.until,
        observedAt: now(),
        rowId: rowId ?? grant.rowId,
        version: sql`${tvGrants.version} + 1`,
      })
      .where(and(eq(tvGrants.id, grant.id), eq(tvGrants.version, grant.version)))
  }

  /** People whom this shop did not let in are only reported, and forgotten when they are gone. */
  async function reportStrangers(
    script: ScriptRow,
    people: PeopleList['people'],
    known: Map<string, GrantRow>,
  ) {
    const strangers = people.filter(({ username }) => {
      const grant = known.get(username.toLowerCase())
      return !grant || (!grant.isOurs && !grant.isWanted)
    })
    const keys = strangers.map(({ username }) => username.toLowerCase())
    for (const { username, until, id } of strangers) {
      // Someone of ours is gone, and this row carries the same number: perhaps renamed.
      const former = [...known.values()].find(
        (grant) => grant.isWanted && grant.rowId === id && grant.usernameKey !== username.toLowerCase(),
      )
      const values = {
        isPresent: true,
        presentUntil: until,
        observedAt: now(),
        rowId: id,
        error: former ? `${former.username} may be called ${username} now.` : null,
      }
      await db
        .insert(tvGrants)
        .values({
          scriptId: script.id,
          usernameKey: username.toLowerCase(),
          username,
          state: 'foreign',
          createdAt: now(),
          ...values,
        })
        .onConflictDoUpdate({
          target: [tvGrants.scriptId, tvGrants.usernameKey],
          set: values,
          setWhere: isNull(tvGrants.userId),
        })
    }
    await db
      .delete(tvGrants)
      .where(
        and(
          eq(tvGrants.scriptId, script.id),
          isNull(tvGrants.userId),
          keys.length > 0 ? notInArray(tvGrants.usernameKey, keys) : undefined,
        ),
      )
    return strangers.length
  }

  /** Entitled and named, but never planned for on one of the scripts. */
  const neverPlanned = (script: ScriptRow) =>
    db
      .select({ userId: entitlements.userId })
      .from(entitlements)
      .leftJoin(
        tvGrants,
        and(eq(tvGrants.scriptId, script.id), eq(tvGrants.usernameKey, entitlements.usernameKey)),
      )
      .where(
        and(
          eq(entitlements.productId, script.productId),
          isNotNull(entitlements.reason),
          isNotNull(entitlements.usernameKey),
          isNull(tvGrants.id),
        ),
      )

  return async function reconcile() {
    const opened = await connections.open()
    if (!opened) return
    await catchUpWithShop()
    const { row, client } = opened
    const mayRemove = row.mayRemoveUntil !== null && row.mayRemoveUntil > now()
    const totals = { missing: 0, wrong: 0, ended: 0, foreign: 0, heldBack: 0, people: 0 }
    const newStrangers = await db.$count(tvGrants, isNull(tvGrants.userId))
    for (const script of await db.select().from(tvScripts).where(isNull(tvScripts.problem))) {
      const startedAt = now()
      try {
        const { toMend, ...run } = await compare(script, await walk(client, script.pineId), mayRemove)
        await db.insert(tvRuns).values({ ...run, scriptId: script.id, startedAt, endedAt: now() })
        const forgotten = run.isComplete ? await neverPlanned(script) : []
        await deliverAll([...toMend, ...forgotten.map(({ userId }) => userId)])
        for (const key of ['missing', 'wrong', 'ended', 'foreign', 'heldBack'] as const)
          totals[key] += run[key] ?? 0
        totals.people = Math.max(totals.people, run.people ?? 0)
      } catch (error) {
        if (!(error instanceof TradingViewFailure)) throw error
        await connections.failed(error)
        await db
          .insert(tvRuns)
          .values({ scriptId: script.id, startedAt, endedAt: now(), isComplete: false, error: error.message })
        if (error.kind === 'not_yours' || error.kind === 'no_such_script')
          await db.update(tvScripts).set({ problem: error.message }).where(eq(tvScripts.id, script.id))
        else return
      }
    }
    await connections.succeeded()
    await connections.note({ heldBack: totals.heldBack || null })
    const strangers = (await db.$count(tvGrants, isNull(tvGrants.userId))) - newStrangers
    if (totals.missing + totals.wrong + totals.ended + totals.heldBack > 0 || strangers > 0)
      await mails.sendOnce(
        `tradingview differences ${now().toISOString().slice(0, 10)} ${totals.heldBack}`,
        supportEmail,
        'tradingViewDifferences',
        totals,
      )
    await db.delete(tvRuns).where(sql`${tvRuns.startedAt} < ${new Date(now().getTime() - 90 * 86_400_000)}`)
  }
}
