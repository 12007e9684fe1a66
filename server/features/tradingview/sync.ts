import { and, eq, inArray, sql } from 'drizzle-orm'
import type { GrantState } from '#contract/statuses.ts'
import type { Database, Transaction } from '../../database/connect.ts'
import { entitlements, tvGrants, tvScripts, users } from '../../database/schema.ts'
import { type TradingViewClient, TradingViewFailure } from '../../gateways/tradingview.ts'
import { namesGrantedByHand, recordLocked, recordUnlocked } from '../access-requests/access-requests.ts'
import { type EntitlementRow, recordCheckedName } from '../entitlements/entitlements.ts'
import type { Mails } from '../mails/mails.ts'
import type { ConnectionRow, Connections } from './connection.ts'
import { type Action, decide, isSameUntil, isWantedNow, type Observed, takesAway } from './decide.ts'

export type GrantRow = typeof tvGrants.$inferSelect
type ScriptRow = typeof tvScripts.$inferSelect
type Work = { grant: GrantRow; script: ScriptRow; entitlement: EntitlementRow | undefined }

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

const second = 1000
const minute = 60 * second
const hour = 60 * minute
const pauses = [5 * second, 30 * second, 2 * minute, 10 * minute]
const givesUpAfter = 72 * hour
const tellsAfter = hour
/** Somebody else may write while TradingView is asked; then the newer wish counts. */
const mostRounds = 10

/**
 * Brings TradingView in line with what one person may have: read, act, read again, store. Repeating it is harmless,
 * and a crash anywhere is mended by the next run. TradingView is called outside any transaction; a row's version
 * shows whether the wish changed meanwhile, and then everything starts over.
 */
export function createSync(deps: Dependencies) {
  const { db, now, mails, connections, supportEmail, crashPoint, unlocked } = deps

  /** Writes down what is wanted for each name on each script. */
  async function plan(tx: Transaction, userId: string): Promise<Work[]> {
    // Whoever plans for this person waits here: a wish is never mixed with an older one.
    await tx.select({ id: users.id }).from(users).where(eq(users.id, userId)).for('no key update')
    const mine = await tx.select().from(entitlements).where(eq(entitlements.userId, userId))
    const scripts = await tx.select().from(tvScripts).where(sql`${tvScripts.problem} is null`)
    const byHand = await namesGrantedByHand(tx, userId)
    for (const entitlement of mine)
      for (const script of scripts.filter(({ productId }) => productId === entitlement.productId))
        await want(tx, script, entitlement, byHand.has(entitlement.usernameKey ?? ''))
    const grants = await tx
      .select()
      .from(tvGrants)
      .where(eq(tvGrants.userId, userId))
      .orderBy(tvGrants.createdAt)
    const works: Work[] = []
    for (const grant of grants) {
      const script = scripts.find(({ id }) => id === grant.scriptId)
      if (!script) continue
      const entitlement = mine.find(({ productId }) => productId === script.productId)
      const isCurrent = entitlement?.usernameKey === grant.usernameKey
      if (isCurrent) works.push({ grant, script, entitlement })
      else {
        const successor = grants.find(
          (other) => other.scriptId === grant.scriptId && other.usernameKey === entitlement?.usernameKey,
        )
        // The new name is unlocked before the old one is locked.
        const mustWait = entitlement?.reason && (!successor || !successor.isPresent)
        const wish = mustWait ? { isWanted: grant.isWanted, wantedUntil: entitlement.until } : nothingWanted
        works.push({ grant: await wishFor(tx, grant, wish), script, entitlement: undefined })
      }
    }
    // New names first.
    return works.toSorted((a, b) => Number(a.entitlement === undefined) - Number(b.entitlement === undefined))
  }

  async function want(
    tx: Transaction,
    script: ScriptRow,
    { usernameKey, username, userId, reason, until }: EntitlementRow,
    isByHand: boolean,
  ) {
    if (!usernameKey || !username) return
    const [known] = await tx
      .select()
      .from(tvGrants)
      .where(and(eq(tvGrants.scriptId, script.id), eq(tvGrants.usernameKey, usernameKey)))
      .for('update')
    if (!known && !reason) return
    const wish = { isWanted: reason !== null, wantedUntil: reason ? until : null }
    if (known) await wishFor(tx, known, { ...wish, userId, isOurs: known.isOurs || isByHand })
    else
      await tx.insert(tvGrants).values({
        scriptId: script.id,
        usernameKey,
        username,
        userId,
        ...wish,
        isOurs: isByHand,
        state: 'unlocking',
        createdAt: now(),
      })
  }

  async function wishFor(
    tx: Transaction,
    grant: GrantRow,
    wish: { isWanted: boolean; wantedUntil: Date | null; userId?: string; isOurs?: boolean },
  ): Promise<GrantRow> {
    const isSame =
      grant.isWanted === wish.isWanted &&
      grant.wantedUntil?.getTime() === wish.wantedUntil?.getTime() &&
      (wish.userId ?? grant.userId) === grant.userId &&
      (wish.isOurs ?? grant.isOurs) === grant.isOurs
    if (isSame) return grant
    const [changed] = await tx
      .update(tvGrants)
      .set({ ...wish, version: sql`${tvGrants.version} + 1` })
      .where(eq(tvGrants.id, grant.id))
      .returning()
    return changed ?? grant
  }

  /** False if the wish has changed in the meantime. */
  async function store(tx: Database | Transaction, { id, version }: GrantRow, changes: Partial<GrantRow>) {
    const stored = await tx
      .update(tvGrants)
      .set({ ...changes, version: sql`${tvGrants.version} + 1` })
      .where(and(eq(tvGrants.id, id), eq(tvGrants.version, version)))
      .returning()
    return stored[0]
  }

  async function read(
    client: TradingViewClient,
    { script, grant }: Work,
  ): Promise<Observed & { rowId: string | null }> {
    const { people, isComplete } = await client.people(script.pineId, grant.username)
    const person = people.find(({ username }) => username.toLowerCase() === grant.usernameKey)
    // A list that breaks off must not look like an absence.
    if (!person && !isComplete)
      throw new TradingViewFailure('unknown', 'TradingView did not say whether this person has access.')
    return { isPresent: person !== undefined, until: person?.until ?? null, rowId: person?.id ?? null }
  }

  /** Asked once for each claimed name; returns false if TradingView does not know it. */
  async function check(client: TradingViewClient, work: Work): Promise<boolean> {
    const { entitlement, grant } = work
    if (!entitlement || entitlement.checkedAt) return entitlement?.problem !== 'not_found'
    const found = await client.findName(grant.username)
    const isKnown = 'username' in found
    const username = isKnown ? found.username : grant.username
    await db.transaction(async (tx) => {
      await recordCheckedName(tx, entitlement.id, {
        username,
        problem: isKnown ? null : 'not_found',
        similar: isKnown ? [] : found.similar,
        at: now(),
      })
      await tx.update(tvGrants).set({ username }).where(eq(tvGrants.id, grant.id))
      if (isKnown) return
      const [person] = await tx.select().from(users).where(eq(users.id, entitlement.userId))
      if (person && !person.deletedAt)
        await mails.send(tx, person.email, 'nameNotFound', {
          name: person.name,
          username,
          similar: found.similar,
        })
    })
    grant.username = username
    return isKnown
  }

  async function act(client: TradingViewClient, { script, grant }: Work, action: Action) {
    const { pineId } = script
    if (action === 'add') await client.add(pineId, grant.username, grant.wantedUntil)
    if (action === 'modify') await client.modify(pineId, grant.username, grant.wantedUntil)
    if (action === 'remove') await client.remove(pineId, grant.username)
  }

  /** One name on one script. False if it has to be planned again. */
  async function settle(client: TradingViewClient, { mode }: ConnectionRow, work: Work): Promise<boolean> {
    const wish = { isWanted: work.grant.isWanted, until: work.grant.wantedUntil }
    if (isWantedNow(wish, now()) && !(await check(client, work)))
      return Boolean(await store(db, work.grant, { ...quiet, state: 'name_not_found' }))
    const before = await read(client, work)
    const action = decide(before, wish, work.grant.isOurs, now())
    const isHeld = mode === 'dry' || (mode === 'grant' && takesAway(action, before, wish))
    let seen = before
    if (!isHeld && action !== 'nothing' && action !== 'leave') {
      // Before the call: after a crash it must be known that this one may be removed again.
      const marked = await store(db, work.grant, { isOurs: action === 'add' ? true : work.grant.isOurs })
      if (!marked) return false
      work.grant = marked
      await act(client, work, action)
      crashPoint('tradingview acted')
      seen = await read(client, work)
      // An endless access may refuse a date: then it is made anew.
      if (
        action === 'modify' &&
        work.grant.isOurs &&
        seen.isPresent &&
        !isSameUntil(seen.until, wish.until)
      ) {
        await act(client, work, 'remove')
        await act(client, work, 'add')
        seen = await read(client, work)
      }
    }
    const left = decide(seen, wish, work.grant.isOurs, now())
    const isDone = left === 'nothing' || left === 'leave'
    if (!isDone && !isHeld) throw new TradingViewFailure('passing', 'TradingView said yes, but did nothing.')
    return finish(work, seen, isDone)
  }

  async function finish(
    work: Work,
    seen: Observed & { rowId: string | null },
    isDone: boolean,
  ): Promise<boolean> {
    const { grant } = work
    const isWanted = isWantedNow({ isWanted: grant.isWanted, until: grant.wantedUntil }, now())
    return db.transaction(async (tx) => {
      const stored = await store(tx, grant, {
        ...quiet,
        isPresent: seen.isPresent,
        presentUntil: seen.until,
        rowId: seen.rowId,
        observedAt: now(),
        state: stateOf(grant, seen, isWanted, isDone),
        firstPresentAt: seen.isPresent ? (grant.firstPresentAt ?? now()) : null,
      })
      if (!stored) return false
      if (seen.isPresent && isWanted && !grant.firstPresentAt) await tellUnlocked(tx, work)
      if (!seen.isPresent && !isWanted) await tellLocked(tx, work)
      return true
    })
  }

  /** Once every script of the product is open. */
  async function tellUnlocked(tx: Transaction, { grant, entitlement }: Work) {
    if (!entitlement || !grant.userId) return
    const closed = await tx
      .select({ id: tvScripts.id })
      .from(tvScripts)
      .leftJoin(
        tvGrants,
        and(
          eq(tvGrants.scriptId, tvScripts.id),
          eq(tvGrants.usernameKey, grant.usernameKey),
          eq(tvGrants.isPresent, true),
        ),
      )
      .where(
        and(
          eq(tvScripts.productId, entitlement.productId),
          sql`${tvScripts.problem} is null`,
          sql`${tvGrants.id} is null`,
        ),
      )
    if (closed.length > 0) return
    if (entitlement.wantedSince) unlocked((now().getTime() - entitlement.wantedSince.getTime()) / 1000)
    await recordUnlocked(tx, { mails, at: now() }, grant.userId, grant.usernameKey)
  }

  async function tellLocked(tx: Transaction, { grant, script }: Work) {
    if (!grant.userId) return
    const open = await tx
      .select({ id: tvGrants.id })
      .from(tvGrants)
      .innerJoin(tvScripts, eq(tvScripts.id, tvGrants.scriptId))
      .where(
        and(
          eq(tvScripts.productId, script.productId),
          eq(tvGrants.usernameKey, grant.usernameKey),
          eq(tvGrants.isPresent, true),
        ),
      )
    if (open.length > 0) return
    await recordLocked(tx, { mails, at: now() }, grant.userId, grant.usernameKey)
    // A deleted person's name was kept only so it could be removed.
    const [person] = await tx
      .select({ deletedAt: users.deletedAt })
      .from(users)
      .where(eq(users.id, grant.userId))
    if (person?.deletedAt)
      await tx
        .delete(tvGrants)
        .where(and(eq(tvGrants.userId, grant.userId), eq(tvGrants.usernameKey, grant.usernameKey)))
  }

  /** What passes is tried again for three days; what does not waits for a person. */
  async function fail(
    { grant, script, entitlement }: Work,
    failure: TradingViewFailure,
  ): Promise<number | undefined> {
    await connections.failed(failure)
    const at = now()
    const failingSince = grant.failingSince ?? at
    const about = { tries: grant.tries + 1, failingSince, error: failure.message }
    const isWanted = isWantedNow({ isWanted: grant.isWanted, until: grant.wantedUntil }, at)
    const underWay: GrantState = isWanted ? 'unlocking' : 'locking'
    if (failure.kind === 'session' || failure.kind === 'blocked') {
      await store(db, grant, { ...about, tries: 0, nextTryAt: at, state: isWanted ? 'waiting' : 'locking' })
      return undefined
    }
    if (failure.kind === 'not_yours' || failure.kind === 'no_such_script') {
      await db.update(tvScripts).set({ problem: failure.message }).where(eq(tvScripts.id, script.id))
      await store(db, grant, { ...about, nextTryAt: null, state: 'stuck' })
      return undefined
    }
    if (failure.kind === 'no_such_name' && entitlement)
      await db.transaction((tx) =>
        recordCheckedName(tx, entitlement.id, {
          username: grant.username,
          problem: 'not_found',
          similar: [],
          at,
        }),
      )
    if (failure.kind === 'no_such_name') {
      await store(db, grant, { ...about, nextTryAt: null, state: isWanted ? 'name_not_found' : 'locked' })
      return undefined
    }
    const failingFor = at.getTime() - failingSince.getTime()
    if (failingFor >= tellsAfter)
      await mails.sendOnce(
        `stuck ${grant.id} ${failingSince.toISOString()}`,
        supportEmail,
        'tradingViewStuck',
        {
          username: grant.username,
          error: failure.message,
          since: failingSince.toISOString(),
        },
      )
    if (failingFor >= givesUpAfter) {
      await store(db, grant, { ...about, nextTryAt: null, state: 'stuck' })
      return undefined
    }
    const pause = pauses[grant.tries] ?? hour
    await store(db, grant, { ...about, nextTryAt: new Date(at.getTime() + pause), state: underWay })
    return pause
  }

  return {
    /** Returns after how long to try again, if anything is left to do. */
    async sync(userId: string): Promise<number | undefined> {
      const opened = await connections.open()
      if (!opened) {
        await db.transaction(async (tx) => {
          await plan(tx, userId)
          await tx.update(tvGrants).set({ nextTryAt: now() }).where(eq(tvGrants.userId, userId))
        })
        return undefined
      }
      const { row, client } = opened
      for (let round = 0; round < mostRounds; round++) {
        const works = await db.transaction((tx) => plan(tx, userId))
        let isSettled = true
        let pause: number | undefined
        for (const work of works) {
          // "Pause" stops everything within one request.
          if ((await connections.current())?.state !== 'on') return undefined
          try {
            const hadNewName = work.grant.isPresent !== true && work.entitlement !== undefined
            if (!(await settle(client, row, work))) isSettled = false
            // An old name may be waiting for this one.
            else if (hadNewName && works.length > 1 && works.some(({ entitlement }) => !entitlement))
              isSettled = isSettled && round > 0
          } catch (error) {
            if (!(error instanceof TradingViewFailure)) throw error
            const again = await fail(work, error)
            if (again !== undefined) pause = Math.min(pause ?? again, again)
          }
        }
        if (pause !== undefined) return pause
        if (isSettled) {
          if (works.length > 0) await connections.succeeded()
          return undefined
        }
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
        .set({ ...quiet, nextTryAt: now(), version: sql`${tvGrants.version} + 1` })
        .where(inArray(tvGrants.id, grantIds))
    },
  }
}

const nothingWanted = { isWanted: false, wantedUntil: null }
/** No failure is left to talk about. */
const quiet = { tries: 0, failingSince: null, nextTryAt: null, error: null }

function stateOf(grant: GrantRow, seen: Observed, isWanted: boolean, isDone: boolean): GrantState {
  if (isWanted) return seen.isPresent && isDone ? 'unlocked' : 'unlocking'
  if (!seen.isPresent) return 'locked'
  return grant.isOurs ? 'locking' : 'foreign'
}
