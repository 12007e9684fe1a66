import { and, eq, isNull } from 'drizzle-orm'
import type { ConnectionMode, GrantState } from '#contract/statuses.ts'
import { keyOfName } from '#contract/tradingview-name.ts'
import type { Context } from '#server/context.ts'
import type { Transaction } from '#server/database/connect.ts'
import { tvEvents, tvGrants, tvScripts, users } from '#server/database/schema.ts'
import { recordLocked, recordUnlocked } from '#server/features/access/access-requests/access-requests.ts'
import { type EntitlementRow, recordCheckedName } from '#server/features/access/entitlements/entitlements.ts'
import { type TradingViewClient, TradingViewFailure } from '#server/gateways/tradingview.ts'
import {
  type Action,
  decide,
  type GrantRow,
  isSameUntil,
  isWantedNow,
  noFailure,
  type Observed,
  storeIfUnchanged,
  takesAway,
  type Work,
  wishOf,
} from './plan.ts'

type Seen = Observed & { rowId: string | null }

/** One name on one script: read, act, read again, store. */
export function createSyncName(context: Context, unlockedAfter: (seconds: number) => void) {
  const { db, now, crashPoint } = context
  const record = createRecording(context, unlockedAfter)

  /** Asked once for each name; returns false if TradingView does not know it. */
  async function check(client: TradingViewClient, work: Work): Promise<boolean> {
    const { entitlement, grant } = work
    if (!entitlement || entitlement.checkedAt) return entitlement?.problem !== 'not_found'
    return ask(client, grant, entitlement)
  }

  async function ask(client: TradingViewClient, grant: GrantRow, entitlement: EntitlementRow) {
    const found = await client.findName(grant.username)
    const isKnown = 'username' in found
    const username = isKnown ? found.username : grant.username
    await db.transaction(async (tx) => {
      if (isKnown)
        await recordCheckedName(tx, entitlement.id, { username, problem: null, similar: [], at: now() })
      else await recordNameNotFound(tx, context, entitlement, { username, similar: found.similar })
      await tx.update(tvGrants).set({ username }).where(eq(tvGrants.id, grant.id))
    })
    grant.username = username
    return isKnown
  }

  /** Does what is to be done and looks at what came of it. Undefined if the wish has changed in the meantime. */
  async function change(client: TradingViewClient, work: Work, action: Action): Promise<Seen | undefined> {
    // Before the call: after a crash it must be known that this one may be removed again.
    const marked = await storeIfUnchanged(db, work.grant, {
      isOurs: action === 'add' ? true : work.grant.isOurs,
    })
    if (!marked) return undefined
    work.grant = marked
    await act(client, work, action)
    crashPoint('tradingview acted')
    const seen = await read(client, work)
    // An endless access may refuse a date: then it is removed and added again.
    const isIgnored = action === 'modify' && seen.isPresent && !isSameUntil(seen.until, marked.wantedUntil)
    if (!isIgnored || !marked.isOurs) return seen
    await act(client, work, 'remove')
    await act(client, work, 'add')
    return read(client, work)
  }

  async function bringInLine(client: TradingViewClient, mode: ConnectionMode, work: Work): Promise<boolean> {
    const wish = wishOf(work.grant)
    if (isWantedNow(wish, now()) && !(await check(client, work)))
      return Boolean(await storeIfUnchanged(db, work.grant, { ...noFailure, state: 'name_not_found' }))
    const before = await read(client, work)
    const action = decide(before, wish, work.grant.isOurs, now())
    const isHeld = mode === 'dry' || (mode === 'grant' && takesAway(action, before, wish))
    const hasToAct = !isHeld && action !== 'nothing' && action !== 'leave'
    const seen = hasToAct ? await change(client, work, action) : before
    if (!seen) return false
    const left = decide(seen, wish, work.grant.isOurs, now())
    const isDone = left === 'nothing' || left === 'leave'
    if (!isDone && !isHeld) throw new TradingViewFailure('passing', 'TradingView said yes, but did nothing.')
    return record(work, seen, isDone)
  }

  /** False if it has to be planned again. */
  return async function syncName(
    client: TradingViewClient,
    mode: ConnectionMode,
    work: Work,
  ): Promise<boolean> {
    try {
      return await bringInLine(client, mode, work)
    } catch (error) {
      const { grant, entitlement } = work
      const isNameRefused = error instanceof TradingViewFailure && error.kind === 'no_such_name'
      if (!isNameRefused || !entitlement) throw error
      // It was known once, and is renamed or deleted: the search may know what the buyer is called now.
      const before = grant.username
      if (!(await ask(client, grant, entitlement)))
        return Boolean(await storeIfUnchanged(db, grant, { ...noFailure, state: 'name_not_found' }))
      if (grant.username === before) throw error
      return false
    }
  }
}

async function read(client: TradingViewClient, { script, grant }: Work): Promise<Seen> {
  const { people, isComplete } = await client.people(script.pineId, grant.username)
  const person = people.find(({ username }) => keyOfName(username) === grant.usernameKey)
  // A list that breaks off must not look like an absence.
  if (!person && !isComplete)
    throw new TradingViewFailure('unknown', 'TradingView did not say whether this person has access.')
  return { isPresent: person !== undefined, until: person?.until ?? null, rowId: person?.id ?? null }
}

async function act(client: TradingViewClient, { script: { pineId }, grant }: Work, action: Action) {
  if (action === 'add') await client.add(pineId, grant.username, grant.wantedUntil)
  if (action === 'modify') await client.modify(pineId, grant.username, grant.wantedUntil)
  if (action === 'remove') await client.remove(pineId, grant.username)
}

/** Stores what was seen, and tells the buyer with it. */
function createRecording(context: Context, unlockedAfter: (seconds: number) => void) {
  const { db, now } = context

  /** Once every script of the product is open. A grant that was undone is granted again, without a second clock. */
  async function tellUnlocked(tx: Transaction, { grant, entitlement }: Work) {
    if (!entitlement || !grant.userId) return
    const isOpen = and(
      eq(tvGrants.scriptId, tvScripts.id),
      eq(tvGrants.usernameKey, grant.usernameKey),
      eq(tvGrants.isPresent, true),
    )
    const closed = await tx
      .select({ id: tvScripts.id })
      .from(tvScripts)
      .leftJoin(tvGrants, isOpen)
      .where(
        and(eq(tvScripts.productId, entitlement.productId), isNull(tvScripts.problem), isNull(tvGrants.id)),
      )
    if (closed.length > 0) return
    if (entitlement.wantedSince && !grant.firstPresentAt)
      unlockedAfter((now().getTime() - entitlement.wantedSince.getTime()) / 1000)
    await recordUnlocked(tx, context, grant.userId, grant.usernameKey)
  }

  /** Once every script of the product is closed. */
  async function tellLocked(tx: Transaction, { grant: { userId, usernameKey }, script }: Work) {
    if (!userId) return
    const open = await tx
      .select({ id: tvGrants.id })
      .from(tvGrants)
      .innerJoin(tvScripts, eq(tvScripts.id, tvGrants.scriptId))
      .where(
        and(
          eq(tvScripts.productId, script.productId),
          eq(tvGrants.usernameKey, usernameKey),
          eq(tvGrants.isPresent, true),
        ),
      )
    if (open.length > 0) return
    await recordLocked(tx, context, userId, usernameKey)
    // A deleted person's name was kept only so it could be removed.
    const [person] = await tx.select({ deletedAt: users.deletedAt }).from(users).where(eq(users.id, userId))
    if (!person?.deletedAt) return
    await tx.delete(tvGrants).where(and(eq(tvGrants.userId, userId), eq(tvGrants.usernameKey, usernameKey)))
    await tx.delete(tvEvents).where(eq(tvEvents.usernameKey, usernameKey))
  }

  /** False if the wish has changed in the meantime. */
  return async function record(work: Work, seen: Seen, isDone: boolean): Promise<boolean> {
    const { grant } = work
    const isWanted = isWantedNow(wishOf(grant), now())
    return db.transaction(async (tx) => {
      const stored = await storeIfUnchanged(tx, grant, {
        ...noFailure,
        isPresent: seen.isPresent,
        presentUntil: seen.until,
        // The number of a row that is gone may turn up under another name.
        rowId: seen.rowId ?? grant.rowId,
        observedAt: now(),
        state: stateOf(grant, seen, isWanted, isDone),
        firstPresentAt: seen.isPresent ? (grant.firstPresentAt ?? now()) : null,
      })
      if (!stored) return false
      if (seen.isPresent && isWanted) await tellUnlocked(tx, work)
      if (!seen.isPresent && !isWanted) await tellLocked(tx, work)
      return true
    })
  }
}

function stateOf(grant: GrantRow, seen: Observed, isWanted: boolean, isDone: boolean): GrantState {
  if (isWanted) return seen.isPresent && isDone ? 'unlocked' : 'unlocking'
  if (!seen.isPresent) return 'locked'
  return grant.isOurs ? 'locking' : 'foreign'
}

/** Only the buyer knows what they are called on TradingView. Told once for each name and what looks like it. */
export async function recordNameNotFound(
  tx: Transaction,
  { mails, now }: Context,
  { id, userId }: EntitlementRow,
  { username, similar }: { username: string; similar: string[] },
) {
  await recordCheckedName(tx, id, { username, problem: 'not_found', similar, at: now() })
  const [person] = await tx.select().from(users).where(eq(users.id, userId))
  if (!person || person.deletedAt) return
  const occasion = ['name', id, keyOfName(username), ...similar].join(' ')
  await mails.sendOnce(occasion, person.email, 'nameNotFound', { name: person.name, username, similar }, tx)
}
