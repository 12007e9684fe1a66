import { and, eq, inArray, isNull, sql } from 'drizzle-orm'
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
  decideAction,
  isSameUntil,
  nextVersion,
  noFailure,
  type Observed,
  type PersonRow,
  removesAccess,
  storeIfUnchanged,
  type UsernamePlan,
} from './plan.ts'

type ObservedEntry = Observed & { listEntryId: string | null }

/** Syncs one username on one script: read, act, read again, store. False if the target state has changed meanwhile. */
type SyncName = (client: TradingViewClient, mode: ConnectionMode, plan: UsernamePlan) => Promise<boolean>

export function createSyncName(
  context: Pick<Context, 'catalog' | 'crashPoint' | 'db' | 'mails' | 'now' | 'supportEmail'>,
  observeUnlock: (seconds: number) => void,
): SyncName {
  const { db, now, crashPoint } = context
  const record = createRecording(context, observeUnlock)

  /** Asks TradingView once per username. False if TradingView doesn't know it. */
  async function isNameKnown(client: TradingViewClient, plan: UsernamePlan): Promise<boolean> {
    const { row } = plan
    if (row && plan.isCurrent && !row.nameCheckedAt) return checkName(client, plan, row)
    return row?.nameProblem !== 'not_found'
  }

  /** True if TradingView knows the username. */
  async function checkName(client: TradingViewClient, { person }: UsernamePlan, row: AccessRow): Promise<boolean> {
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

  /** Undefined if the target state has changed meanwhile. */
  async function applyAction(
    client: TradingViewClient,
    plan: UsernamePlan,
    action: Action,
  ): Promise<ObservedEntry | undefined> {
    // Stores `isOurs` before the call, so that the entry can be removed again after a crash.
    const markedPerson = await db.transaction(async (tx) => {
      if (!(await isPlanCurrent(tx, plan))) return undefined
      return storeIfUnchanged(tx, plan.person, { isOurs: action === 'add' || plan.isOurs })
    })
    if (!markedPerson) return undefined
    plan.person = markedPerson
    plan.isOurs = markedPerson.isOurs

    await callTradingView(client, plan, action)
    crashPoint('tradingview acted')
    const entry = await readEntry(client, plan)

    // TradingView may ignore an end date for endless access, so the entry is removed and added again.
    const isDateIgnored = action === 'modify' && entry.isPresent && !isSameUntil(entry.until, plan.target.until)
    if (!isDateIgnored || !plan.isOurs) return entry
    await callTradingView(client, plan, 'remove')
    await callTradingView(client, plan, 'add')
    return readEntry(client, plan)
  }

  /** False if the target state has changed meanwhile. */
  async function applyPlan(client: TradingViewClient, mode: ConnectionMode, plan: UsernamePlan): Promise<boolean> {
    const { target } = plan
    const needsKnownName = target.isWanted || plan.isAwaitingSeller
    if (needsKnownName && !(await isNameKnown(client, plan))) return clearFailure(plan)

    const entryBefore = await readEntry(client, plan)
    const action = decideAction(entryBefore, target, plan.isOurs)
    const isForbiddenRemoval = mode === 'grant' && removesAccess(action, entryBefore, target)
    const mayAct = mode !== 'dry' && !plan.isAwaitingSeller && !isForbiddenRemoval
    const hasToAct = mayAct && changesList(action)
    const entry = hasToAct ? await applyAction(client, plan, action) : entryBefore
    if (!entry) return false

    const remainingAction = decideAction(entry, target, plan.isOurs)
    if (mayAct && changesList(remainingAction))
      throw new TradingViewFailure('passing', 'TradingView said yes, but did nothing.')
    return record(plan, entry, mode)
  }

  /** False if the entry has changed meanwhile. */
  async function clearFailure({ person }: UsernamePlan): Promise<boolean> {
    return (await storeIfUnchanged(db, person, noFailure)) !== undefined
  }

  return async function syncName(client, mode, plan) {
    try {
      return await applyPlan(client, mode, plan)
    } catch (error) {
      const { person, row } = plan
      const isNameRefused = error instanceof TradingViewFailure && error.kind === 'no_such_name'
      if (!isNameRefused || !row || !plan.isCurrent) throw error
      // The account was renamed or deleted. TradingView's search may find its present username.
      const usernameBefore = person.username
      if (!(await checkName(client, plan, row))) return clearFailure(plan)
      if (person.username === usernameBefore) throw error
      // `checkName` has stored the present username, so the sync plans again.
      return false
    }
  }
}

const changesList = (action: Action) => action !== 'nothing' && action !== 'leave'

async function readEntry(client: TradingViewClient, { script, person }: UsernamePlan): Promise<ObservedEntry> {
  const { people, isComplete } = await client.people(script.pineId, person.username)
  const entry = people.find(({ username }) => normalizeUsername(username) === person.usernameKey)
  // An incomplete list proves no absence.
  if (!entry && !isComplete)
    throw new TradingViewFailure('unknown', 'TradingView did not say whether this person has access.')
  return { isPresent: entry !== undefined, until: entry?.until ?? null, listEntryId: entry?.id ?? null }
}

async function callTradingView(
  client: TradingViewClient,
  { script: { pineId }, person: { username }, target }: UsernamePlan,
  action: Action,
) {
  if (action === 'add') await client.add(pineId, username, target.until)
  if (action === 'modify') await client.modify(pineId, username, target.until)
  if (action === 'remove') await client.remove(pineId, username)
}

/** True if the access row has not changed since the plan. Locks person and row until the end of the transaction. */
async function isPlanCurrent(tx: Transaction, { person, row }: UsernamePlan): Promise<boolean> {
  if (person.userId) await lockPerson(tx, person.userId)
  if (!row) return true
  const [present] = await tx.select({ version: access.version }).from(access).where(eq(access.id, row.id)).for('update')
  return present?.version === row.version
}

function createRecording(
  context: Pick<Context, 'catalog' | 'db' | 'mails' | 'now' | 'supportEmail'>,
  observeUnlock: (seconds: number) => void,
) {
  const { db, now } = context

  /**
   * A username that was unlocked by hand is known only from the access row, which is about to name the new one. Without
   * this mark, the old one would count as foreign and stay on TradingView's list.
   */
  async function keepOursIfUnlockedByHand(tx: Transaction, { userId, productId }: AccessRow, usernameKey: string) {
    const scriptIds = tx.select({ id: tvScripts.id }).from(tvScripts).where(eq(tvScripts.productId, productId))
    await tx
      .update(tvPeople)
      .set({ isOurs: true, ...nextVersion })
      .where(
        and(
          eq(tvPeople.userId, userId),
          eq(tvPeople.usernameKey, usernameKey),
          inArray(tvPeople.scriptId, scriptIds),
          isNull(tvPeople.firstPresentAt),
        ),
      )
  }

  /** Only if the username is unlocked on every script of the product. */
  async function recordIfUnlocked(tx: Transaction, { person, script }: UsernamePlan, row: AccessRow) {
    const isUnlockedThere = and(
      eq(tvPeople.scriptId, tvScripts.id),
      eq(tvPeople.usernameKey, person.usernameKey),
      eq(tvPeople.isPresent, true),
    )
    const scriptsWithout = await tx
      .select({ id: tvScripts.id })
      .from(tvScripts)
      .leftJoin(tvPeople, isUnlockedThere)
      .where(and(eq(tvScripts.productId, script.productId), isNull(tvScripts.problem), isNull(tvPeople.id)))
      .limit(1)
    if (scriptsWithout.length > 0) return
    const unlockedKey = row.unlockedName && normalizeUsername(row.unlockedName)
    if (unlockedKey && unlockedKey !== person.usernameKey) await keepOursIfUnlockedByHand(tx, row, unlockedKey)
    const wasWaiting = await recordUnlocked(tx, context, row, person.username)
    if (wasWaiting && row.askedAt) observeUnlock((now().getTime() - row.askedAt.getTime()) / 1000)
  }

  /** Only if the username is locked on every script of the product. */
  async function recordIfLocked(tx: Transaction, { person: { userId, usernameKey }, script }: UsernamePlan) {
    if (!userId) return
    const isTheirs = and(
      eq(tvPeople.userId, userId),
      eq(tvPeople.usernameKey, usernameKey),
      sql`${tvPeople.scriptId} in (select id from tv_scripts where product_id = ${script.productId})`,
    )
    const mayBePresent = sql`${tvPeople.isPresent} is not false`
    if ((await tx.$count(tvPeople, and(isTheirs, mayBePresent))) > 0) return
    await recordLocked(tx, context, { userId, productId: script.productId }, usernameKey)
    // The username of a deleted person was kept only until it is locked.
    const { deletedAt } = await personOf(tx, userId)
    if (!deletedAt) return
    await tx.delete(tvPeople).where(isTheirs)
    await tx.delete(tvEvents).where(eq(tvEvents.usernameKey, usernameKey))
  }

  /** False if the target state has changed meanwhile. */
  return async function record(plan: UsernamePlan, entry: ObservedEntry, mode: ConnectionMode): Promise<boolean> {
    const { person, row, target } = plan
    const isOnlyObserving = mode === 'dry' || plan.isAwaitingSeller
    const changes: Partial<PersonRow> = {
      ...noFailure,
      isPresent: entry.isPresent,
      presentUntil: entry.until,
      // Keeps the id of a missing entry: it may appear under another username.
      listEntryId: entry.listEntryId ?? person.listEntryId,
      observedAt: now(),
    }
    if (!isOnlyObserving) {
      changes.isOurs = plan.isOurs
      changes.firstPresentAt = entry.isPresent ? (person.firstPresentAt ?? now()) : null
    }
    return db.transaction(async (tx) => {
      if (!(await isPlanCurrent(tx, plan))) return false
      const stored = await storeIfUnchanged(tx, person, changes)
      if (!stored) return false
      if (isOnlyObserving) return true
      if (entry.isPresent && target.isWanted && row && plan.isCurrent) await recordIfUnlocked(tx, plan, row)
      if (!entry.isPresent && !target.isWanted) await recordIfLocked(tx, plan)
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
