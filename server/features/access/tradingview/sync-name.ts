import { and, eq, isNull, sql } from 'drizzle-orm'
import type { ConnectionMode } from '#contract/statuses.ts'
import { normalizeUsername } from '#contract/tradingview-name.ts'
import type { Context } from '#server/context.ts'
import type { Transaction } from '#server/database/connect.ts'
import { lockPerson, personOf } from '#server/database/people.ts'
import { access, tvEvents, tvPeople, tvScripts } from '#server/database/schema.ts'
import {
  type AccessRow,
  recordCheckedName,
  recordLocked,
  recordUnlocked,
} from '#server/features/access/access/access.ts'
import { type TradingViewClient, TradingViewFailure } from '#server/gateways/tradingview.ts'
import {
  type Action,
  decide,
  isSameUntil,
  noFailure,
  type Observed,
  removesAccess,
  storeIfUnchanged,
  type UsernamePlan,
} from './plan.ts'

type Seen = Observed & { listEntryId: string | null }

/** Syncs one username on one script: read, act, read again, store. False if the wish has changed in the meantime. */
type SyncName = (client: TradingViewClient, mode: ConnectionMode, work: UsernamePlan) => Promise<boolean>

export function createSyncName(
  context: Pick<Context, 'catalog' | 'crashPoint' | 'db' | 'mails' | 'now' | 'supportEmail'>,
  unlockedAfter: (seconds: number) => void,
): SyncName {
  const { db, now, crashPoint } = context
  const record = createRecording(context, unlockedAfter)

  /** Asks TradingView once per username. False if it is unknown there. */
  async function isKnown(client: TradingViewClient, work: UsernamePlan): Promise<boolean> {
    const { row } = work
    if (!row || !work.isCurrent || row.nameCheckedAt) return row?.nameProblem !== 'not_found'
    return ask(client, work, row)
  }

  async function ask(client: TradingViewClient, { person }: UsernamePlan, row: AccessRow): Promise<boolean> {
    const found = await client.findName(person.username)
    const isFound = 'username' in found
    const username = isFound ? found.username : person.username
    await db.transaction(async (tx) => {
      if (isFound) await recordCheckedName(tx, row, { username, problem: null, similar: [], at: now() })
      else await recordNameNotFound(tx, context, row, { username, similar: found.similar })
      await tx.update(tvPeople).set({ username }).where(eq(tvPeople.id, person.id))
    })
    person.username = username
    return isFound
  }

  /** Performs the action and reads the result. Undefined if the wanted state has changed meanwhile. */
  async function change(client: TradingViewClient, work: UsernamePlan, action: Action): Promise<Seen | undefined> {
    // Marked before the call, so that the entry can be removed again after a crash.
    const marked = await db.transaction(async (tx) =>
      (await isStillWanted(tx, work))
        ? storeIfUnchanged(tx, work.person, { isOurs: action === 'add' || work.isOurs })
        : undefined,
    )
    if (!marked) return undefined
    work.person = marked
    work.isOurs = marked.isOurs
    await act(client, work, action)
    crashPoint('tradingview acted')
    const seen = await read(client, work)
    // TradingView may ignore a date for endless access; then it is removed and added again.
    const isIgnored = action === 'modify' && seen.isPresent && !isSameUntil(seen.until, work.wish.until)
    if (!isIgnored || !work.isOurs) return seen
    await act(client, work, 'remove')
    await act(client, work, 'add')
    return read(client, work)
  }

  async function bringInLine(client: TradingViewClient, mode: ConnectionMode, work: UsernamePlan): Promise<boolean> {
    const { wish } = work
    if ((wish.isWanted || work.isHeld) && !(await isKnown(client, work)))
      return Boolean(await storeIfUnchanged(db, work.person, noFailure))
    const before = await read(client, work)
    const action = decide(before, wish, work.isOurs)
    const waits = mode === 'dry' || work.isHeld || (mode === 'grant' && removesAccess(action, before, wish))
    const hasToAct = !waits && action !== 'nothing' && action !== 'leave'
    const seen = hasToAct ? await change(client, work, action) : before
    if (!seen) return false
    const remaining = decide(seen, wish, work.isOurs)
    if (remaining !== 'nothing' && remaining !== 'leave' && !waits)
      throw new TradingViewFailure('passing', 'TradingView said yes, but did nothing.')
    return record(work, seen, mode)
  }

  return async function syncName(client, mode, work) {
    try {
      return await bringInLine(client, mode, work)
    } catch (error) {
      const { person, row } = work
      const isNameRefused = error instanceof TradingViewFailure && error.kind === 'no_such_name'
      if (!isNameRefused || !row || !work.isCurrent) throw error
      // A username that was known is renamed or deleted; the search may find its present name.
      const before = person.username
      if (!(await ask(client, work, row))) return Boolean(await storeIfUnchanged(db, person, noFailure))
      if (person.username === before) throw error
      return false
    }
  }
}

async function read(client: TradingViewClient, { script, person }: UsernamePlan): Promise<Seen> {
  const { people, isComplete } = await client.people(script.pineId, person.username)
  const found = people.find(({ username }) => normalizeUsername(username) === person.usernameKey)
  // An incomplete list proves no absence.
  if (!found && !isComplete)
    throw new TradingViewFailure('unknown', 'TradingView did not say whether this person has access.')
  return { isPresent: found !== undefined, until: found?.until ?? null, listEntryId: found?.id ?? null }
}

async function act(
  client: TradingViewClient,
  { script: { pineId }, person: { username }, wish }: UsernamePlan,
  action: Action,
) {
  if (action === 'add') await client.add(pineId, username, wish.until)
  if (action === 'modify') await client.modify(pineId, username, wish.until)
  if (action === 'remove') await client.remove(pineId, username)
}

/** True if the plan still holds. Locks person and row until the end of the transaction. */
async function isStillWanted(tx: Transaction, { person, row }: UsernamePlan): Promise<boolean> {
  if (person.userId) await lockPerson(tx, person.userId)
  if (!row) return true
  const [now] = await tx.select({ version: access.version }).from(access).where(eq(access.id, row.id)).for('update')
  return now?.version === row.version
}

function createRecording(
  context: Pick<Context, 'catalog' | 'db' | 'mails' | 'now' | 'supportEmail'>,
  unlockedAfter: (seconds: number) => void,
) {
  const { db, now } = context

  /** Records the unlock once it is done on every script of the product. */
  async function recordOpen(tx: Transaction, { person, script }: UsernamePlan, row: AccessRow) {
    const isOpen = and(
      eq(tvPeople.scriptId, tvScripts.id),
      eq(tvPeople.usernameKey, person.usernameKey),
      eq(tvPeople.isPresent, true),
    )
    const locked = await tx
      .select({ id: tvScripts.id })
      .from(tvScripts)
      .leftJoin(tvPeople, isOpen)
      .where(and(eq(tvScripts.productId, script.productId), isNull(tvScripts.problem), isNull(tvPeople.id)))
      .limit(1)
    if (locked.length > 0) return
    const wasWaiting = await recordUnlocked(tx, context, row, person.username)
    if (wasWaiting && row.askedAt) unlockedAfter((now().getTime() - row.askedAt.getTime()) / 1000)
  }

  /** Records the lock once it is done on every script of the product. */
  async function recordClosed(tx: Transaction, { person: { userId, usernameKey }, script }: UsernamePlan) {
    if (!userId) return
    const isTheirs = and(
      eq(tvPeople.userId, userId),
      eq(tvPeople.usernameKey, usernameKey),
      sql`${tvPeople.scriptId} in (select id from tv_scripts where product_id = ${script.productId})`,
    )
    if ((await tx.$count(tvPeople, and(isTheirs, sql`${tvPeople.isPresent} is not false`))) > 0) return
    await recordLocked(tx, context, { userId, productId: script.productId }, usernameKey)
    // Deletes the username of a deleted person, which was kept for this.
    if (!(await personOf(tx, userId)).deletedAt) return
    await tx.delete(tvPeople).where(isTheirs)
    await tx.delete(tvEvents).where(eq(tvEvents.usernameKey, usernameKey))
  }

  /** False if the wanted state has changed meanwhile. */
  return async function record(work: UsernamePlan, seen: Seen, mode: ConnectionMode): Promise<boolean> {
    const { person, row, wish } = work
    const isWatching = mode === 'dry' || work.isHeld
    return db.transaction(async (tx) => {
      if (!(await isStillWanted(tx, work))) return false
      const stored = await storeIfUnchanged(tx, person, {
        ...noFailure,
        isPresent: seen.isPresent,
        presentUntil: seen.until,
        // Keeps the id of a missing entry: it may appear under another username.
        listEntryId: seen.listEntryId ?? person.listEntryId,
        observedAt: now(),
        ...(isWatching
          ? {}
          : { isOurs: work.isOurs, firstPresentAt: seen.isPresent ? (person.firstPresentAt ?? now()) : null }),
      })
      if (!stored) return false
      if (isWatching) return true
      if (seen.isPresent && wish.isWanted && row && work.isCurrent) await recordOpen(tx, work, row)
      if (!seen.isPresent && !wish.isWanted) await recordClosed(tx, work)
      return true
    })
  }
}

/** Emails the buyer about an unknown username, once per username and suggestions. */
export async function recordNameNotFound(
  tx: Transaction,
  { mails, now }: Pick<Context, 'mails' | 'now'>,
  row: AccessRow,
  { username, similar }: { username: string; similar: string[] },
) {
  await recordCheckedName(tx, row, { username, problem: 'not_found', similar, at: now() })
  const user = await personOf(tx, row.userId)
  if (user.deletedAt) return
  const occasion = ['name', row.id, normalizeUsername(username), ...similar].join(' ')
  await mails.sendOnce(occasion, user.email, 'nameNotFound', { name: user.name, username, similar }, tx)
}
