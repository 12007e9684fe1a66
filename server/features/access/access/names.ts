import { and, desc, eq, isNotNull, isNull, ne, or, sql } from 'drizzle-orm'
import { nameTakenMessage, normalizeUsername, parseUsername } from '#contract/tradingview-name.ts'
import type { Context } from '#server/context.ts'
import type { Database, Transaction } from '#server/database/connect.ts'
import { personOf } from '#server/database/people.ts'
import { access, accessEvents } from '#server/database/schema.ts'
import { conflict, invalid, Refusal } from '#server/errors.ts'
import { setTradingViewUsername } from '#server/features/identity/accounts/accounts.ts'
import { recompute } from './entitled.ts'
import { type AccessKey, type ChangeContext, type ConnectorInterface, change, lockRows } from './rows.ts'
import { type AccessRow, factsOf, next } from './rules.ts'

type NameContext = Pick<Context, 'catalog' | 'db' | 'mails' | 'now' | 'supportEmail'>

/** TradingView usernames that buyers want unlocked. A username belongs to one buyer. */
export type Names = {
  mayChangeFrom(userId: string, tx?: Transaction | Database): Promise<Date | null>
  takenBy: typeof takenBy
  /** Sets a username: at the checkout, in the form or the profile, by an admin or an import. */
  give(tx: Transaction, given: GivenName): Promise<void>
  /** Checks unknown usernames again: TradingView may take minutes to find a new account. */
  recheck(tx: Transaction, userId: string): Promise<void>
  recheckUnknown(): Promise<void>
}

/** The form's field that a refusal belongs to. */
type Field = 'username' | 'tradingViewUsername'

export type GivenName = {
  userId: string
  username: string
  /** The product it is for; all of the person's products by default. */
  productId?: string
  /** The admin who enters it; null for the buyer. */
  by: string | null
  /** With a field, an unusable username is refused there; otherwise it is stored with its problem. */
  field?: Field
  /** Called before access moves to another TradingView account; throws unless the buyer may. */
  beforeMove?: (() => Promise<void>) | undefined
  /** Product that is unlocked on TradingView already, as the admin says. */
  unlockedProductId?: string | undefined
}

const day = 86_400_000
const week = 7 * day
const year = 365 * day
const changesInAYear = 5

export function createNames(context: NameContext, connector: ConnectorInterface): Names {
  const { db, now } = context

  /** Earliest next change: once in 7 days and 5 times a year. Before the first unlock, changes are free. */
  async function mayChangeFrom(userId: string, tx: Transaction | Database = db): Promise<Date | null> {
    const changes = await tx
      .select({ at: accessEvents.at })
      .from(accessEvents)
      .where(and(eq(accessEvents.userId, userId), eq(accessEvents.event, 'renamed'), isNull(accessEvents.byAdmin)))
      .orderBy(desc(accessEvents.at))
      .limit(changesInAYear)
    const [newest] = changes
    const fifth = changes[changesInAYear - 1]
    const free = Math.max(newest ? newest.at.getTime() + week : 0, fifth ? fifth.at.getTime() + year : 0)
    return free > now().getTime() ? new Date(free) : null
  }

  async function refuseTooSoon(tx: Transaction, userId: string) {
    const from = await mayChangeFrom(userId, tx)
    if (!from) return
    const on = from.toLocaleDateString('en-US', { dateStyle: 'medium', timeZone: 'UTC' })
    throw conflict('too-soon', `You can change your TradingView username again on ${on}.`)
  }

  async function claim(
    tx: Transaction,
    row: AccessRow,
    { username, key, by, field, beforeMove, unlockedProductId }: Omit<GivenName, 'userId'> & { key: string | null },
    works: boolean,
  ) {
    const isTaken = key !== null && (await takenBy(tx, row, key)) !== undefined
    if (isTaken && field && works)
      throw new Refusal(409, 'name-taken', nameTakenMessage, { fields: { [field]: nameTakenMessage } })
    if (key && !isTaken) await release(tx, context, row, key)
    const nameKey = isTaken ? null : key
    const nameProblem = isTaken ? ('taken' as const) : key ? null : ('unreadable' as const)
    const isSame = nameKey === row.nameKey && nameProblem === row.nameProblem && nameKey !== null
    const named = isSame ? {} : { username, nameKey, nameProblem, similar: [], nameCheckedAt: null }
    const after = { ...row, ...named }
    const facts = factsOf(after, works, now())
    const isMove = facts.isPaid && facts.holds === 'other'
    if (isMove && !isSame && by === null && field) {
      await refuseTooSoon(tx, row.userId)
      await beforeMove?.()
    }
    const isOpen = unlockedProductId === row.productId && facts.isPaid && nameKey !== null
    const step = isOpen ? { to: 'unlocked' as const } : next('asked', facts)
    const needsDecision = (step && 'needsDecision' in step && step.needsDecision) || false
    if (isSame && step?.to === row.state && needsDecision === row.needsDecision) return
    const to = step?.to ?? row.state
    const isWaiting = to === 'asked' || to === 'unlocking'
    await change(
      tx,
      context,
      row,
      { event: eventOf(isMove && !isSame, isOpen, step !== undefined), to, username, byAdmin: by },
      {
        ...named,
        needsDecision,
        ...(isWaiting ? { askedAt: now() } : {}),
        ...(isOpen ? { unlockedName: username, decidedBy: by } : {}),
      },
    )
  }

  return {
    mayChangeFrom,
    takenBy,

    async give(tx, given) {
      const { userId, username: typed, field } = given
      const served = await connector.servedProducts(tx)
      const rows = await recompute(tx, context, userId, served)
      if (typed.trim() === '') return clear(tx, userId, rows, field)
      const read = parseUsername(typed)
      if ('refusal' in read && field) throw invalid(field, read.refusal)
      const username = 'username' in read ? read.username : typed.trim().slice(0, 100)
      const key = 'username' in read ? normalizeUsername(read.username) : null
      // Serializes customers who enter the same username.
      if (key) await tx.execute(sql`select pg_advisory_xact_lock(hashtext(${key}))`)
      const { tradingViewUsername: before } = await personOf(tx, userId)
      // Keeps TradingView's spelling of the same username.
      if (key === null || key !== (before && normalizeUsername(before)))
        await setTradingViewUsername(tx, userId, username)
      const affected = rows.filter(({ productId }) => !given.productId || productId === given.productId)
      for (const row of affected) await claim(tx, row, { ...given, username, key }, served.has(row.productId))
      await connector.requestSync(tx, userId)
    },

    async recheck(tx, userId) {
      await tx
        .update(access)
        .set({ nameCheckedAt: null, nameProblem: null })
        .where(and(eq(access.userId, userId), isUnknownName))
      await connector.requestSync(tx, userId)
    },

    async recheckUnknown() {
      const unknown = await db
        .select({ userId: access.userId })
        .from(access)
        .where(and(isUnknownName, isNotNull(access.reason), sql`${access.similar} = '[]'`))
      for (const { userId } of unknown) await db.transaction((tx) => this.recheck(tx, userId))
    },
  }
}

/** Clears the username. A paying customer may replace it but not clear it. */
async function clear(tx: Transaction, userId: string, rows: AccessRow[], field: Field = 'username') {
  if (rows.some(({ reason, state }) => reason !== null && state !== 'none'))
    throw invalid(field, 'Please enter the TradingView username that we unlock for you.')
  await tx.update(access).set({ username: null, nameKey: null, nameProblem: null }).where(eq(access.userId, userId))
  await setTradingViewUsername(tx, userId, null)
}

function eventOf(isMove: boolean, isOpen: boolean, isPaid: boolean) {
  if (isOpen) return 'granted'
  if (isMove) return 'renamed'
  return isPaid ? 'asked' : 'named'
}

const isUnknownName = eq(access.nameProblem, 'not_found')

const isUnlockedName = (key: string) => sql`lower(${access.unlockedName}) = ${key}`
const ofOthers = ({ userId, productId }: AccessKey) => and(eq(access.productId, productId), ne(access.userId, userId))

/** Another customer who pays for this username, or has it until it is moved. */
async function takenBy(tx: Transaction | Database, whose: AccessKey, key: string): Promise<string | undefined> {
  const [other] = await tx
    .select({ userId: access.userId })
    .from(access)
    .where(and(ofOthers(whose), isNotNull(access.reason), or(eq(access.nameKey, key), isUnlockedName(key))))
  return other?.userId
}

/** Takes the username from former customers. If they come back, they are told that it is taken. */
async function release(tx: Transaction, context: ChangeContext, whose: AccessKey, key: string) {
  await tx
    .update(access)
    .set({ nameKey: null, nameProblem: 'taken', version: sql`${access.version} + 1` })
    .where(and(ofOthers(whose), eq(access.nameKey, key)))
  const open = await tx
    .select({ id: access.id })
    .from(access)
    .where(and(ofOthers(whose), isUnlockedName(key)))
  const ids = open.map(({ id }) => id)
  // Locks nothing and tells nobody: the TradingView account is the new customer's.
  for (const row of await lockRows(tx, ids)) {
    const { unlockedName: username } = row
    const step = next('closed', factsOf(row, false, context.now()))
    await change(tx, context, row, { event: 'closed', to: step?.to ?? row.state, username }, { unlockedName: null })
  }
}
