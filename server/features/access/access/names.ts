import { and, desc, eq, isNotNull, isNull, ne, or, sql } from 'drizzle-orm'
import { dayInWords, dayMs } from '#contract/dates.ts'
import type { NameProblem } from '#contract/statuses.ts'
import { nameTakenMessage, normalizeUsername, parseUsername } from '#contract/tradingview-name.ts'
import type { AssertFresh } from '#server/actor.ts'
import type { Context } from '#server/context.ts'
import type { Database, Transaction } from '#server/database/connect.ts'
import { personOf } from '#server/database/people.ts'
import { access, accessEvents } from '#server/database/schema.ts'
import { conflict, invalid, Refusal } from '#server/errors.ts'
import { setTradingViewUsername } from '#server/features/identity/accounts/accounts.ts'
import { recomputeAccess } from './entitled.ts'
import { type AccessKey, type ChangeContext, type ConnectorInterface, changeAccess, lockRows } from './rows.ts'
import { type AccessRow, factsOf, nextStep, type Step } from './rules.ts'

type NameContext = Pick<Context, 'catalog' | 'db' | 'mails' | 'now' | 'supportEmail'>

/** A username belongs to one buyer. */
export type Names = {
  /** Earliest time of the next change; null if the buyer may change the username. */
  mayChangeFrom(userId: string, tx?: Transaction | Database): Promise<Date | null>
  findOtherHolder: typeof findOtherHolder
  setUsername(tx: Transaction, input: UsernameInput): Promise<void>
  /** Checks unknown usernames again: TradingView may take minutes to find a new account. */
  recheck(tx: Transaction, userId: string): Promise<void>
  recheckUnknown(): Promise<void>
}

/** The form's field that a refusal belongs to. */
type Field = 'username' | 'tradingViewUsername'

export type UsernameInput = {
  userId: string
  username: string
  /** The product it is for; all of the person's products by default. */
  productId?: string
  /** The admin who enters it; null for the buyer. */
  byAdmin: string | null
  /** With a field, an unusable username is refused there; otherwise it is stored with its problem. */
  field?: Field
  /** Called before access moves to another TradingView account; throws unless the buyer may. */
  beforeMove?: AssertFresh | undefined
  /** Product that is unlocked on TradingView already, as the admin says. */
  unlockedProductId?: string | undefined
}

const weekMs = 7 * dayMs
const yearMs = 365 * dayMs
const maxChangesPerYear = 5
/** Longest part of an unusable username that is stored for the seller to read. */
const maxUnusableLength = 100

export function createNames(context: NameContext, connector: ConnectorInterface): Names {
  const { db, now } = context

  /** Buyers may change an unlocked username once in 7 days and 5 times a year. Earlier changes are free. */
  async function mayChangeFrom(userId: string, tx: Transaction | Database = db): Promise<Date | null> {
    const changes = await tx
      .select({ at: accessEvents.at })
      .from(accessEvents)
      .where(and(eq(accessEvents.userId, userId), eq(accessEvents.event, 'renamed'), isNull(accessEvents.byAdmin)))
      .orderBy(desc(accessEvents.at))
      .limit(maxChangesPerYear)
    const newest = changes[0]
    const fifthNewest = changes[maxChangesPerYear - 1]
    const weekIsOverMs = newest ? newest.at.getTime() + weekMs : 0
    const yearIsOverMs = fifthNewest ? fifthNewest.at.getTime() + yearMs : 0
    const mayChangeFromMs = Math.max(weekIsOverMs, yearIsOverMs)
    return mayChangeFromMs > now().getTime() ? new Date(mayChangeFromMs) : null
  }

  async function assertMayChangeUsername(tx: Transaction, userId: string) {
    const from = await mayChangeFrom(userId, tx)
    if (!from) return
    throw conflict('too-soon', `You can change your TradingView username again on ${dayInWords(from)}.`)
  }

  async function assignUsername(
    tx: Transaction,
    row: AccessRow,
    input: Omit<UsernameInput, 'userId'> & { key: string | null },
    hasConnector: boolean,
  ) {
    const { username, key, byAdmin, field } = input
    const isTaken = key !== null && (await findOtherHolder(tx, row, key)) !== undefined
    if (isTaken && field && hasConnector)
      throw new Refusal(409, 'name-taken', nameTakenMessage, { fields: { [field]: nameTakenMessage } })
    if (key && !isTaken) await releaseUsername(tx, context, row, key)

    const nameKey = isTaken ? null : key
    const nameProblem = nameProblemOf(isTaken, key)
    const isSameName = nameKey !== null && nameKey === row.nameKey && nameProblem === row.nameProblem
    const nameChanges = isSameName ? {} : { username, nameKey, nameProblem, similar: [], nameCheckedAt: null }
    const facts = factsOf({ ...row, ...nameChanges }, hasConnector, now())
    const isMove = facts.isPaid && facts.unlockedAccount === 'other' && !isSameName
    if (isMove && byAdmin === null && field) {
      await assertMayChangeUsername(tx, row.userId)
      await input.beforeMove?.(tx)
    }

    const isUnlockedAlready = input.unlockedProductId === row.productId && facts.isPaid && nameKey !== null
    const step: Step | undefined = isUnlockedAlready ? { to: 'unlocked' } : nextStep('asked', facts)
    const needsDecision = step?.needsDecision ?? false
    if (isSameName && step?.to === row.state && needsDecision === row.needsDecision) return
    const to = step?.to ?? row.state
    const isWaiting = to === 'asked' || to === 'unlocking'
    const waitChanges = isWaiting ? { askedAt: now() } : {}
    const unlockChanges = isUnlockedAlready ? { unlockedName: username, decidedBy: byAdmin } : {}
    await changeAccess(
      tx,
      context,
      row,
      { event: eventOf({ isMove, isUnlockedAlready, isPaid: facts.isPaid }), to, username, byAdmin },
      { ...nameChanges, ...waitChanges, ...unlockChanges, needsDecision },
    )
  }

  async function recheck(tx: Transaction, userId: string) {
    await tx
      .update(access)
      .set({ nameCheckedAt: null, nameProblem: null })
      .where(and(eq(access.userId, userId), isUnknownName))
    await connector.requestSync(tx, userId)
  }

  return {
    mayChangeFrom,
    findOtherHolder,
    recheck,

    async setUsername(tx, input) {
      const { userId, username: typed, field } = input
      const served = await connector.servedProducts(tx)
      const rows = await recomputeAccess(tx, context, userId, served)
      if (typed.trim() === '') return clearUsername(tx, userId, rows, field)
      const parsed = parseUsername(typed)
      if ('refusal' in parsed && field) throw invalid(field, parsed.refusal)
      const username = 'username' in parsed ? parsed.username : typed.trim().slice(0, maxUnusableLength)
      const key = 'username' in parsed ? normalizeUsername(parsed.username) : null
      // Serializes customers who enter the same username.
      if (key) await tx.execute(sql`select pg_advisory_xact_lock(hashtext(${key}))`)
      const { tradingViewUsername: storedUsername } = await personOf(tx, userId)
      // Keeps the stored spelling, which is TradingView's, if the username is the same.
      const isStoredAlready = key !== null && storedUsername !== null && key === normalizeUsername(storedUsername)
      if (!isStoredAlready) await setTradingViewUsername(tx, userId, username)
      const affected = rows.filter(({ productId }) => !input.productId || productId === input.productId)
      for (const row of affected) await assignUsername(tx, row, { ...input, username, key }, served.has(row.productId))
      await connector.requestSync(tx, userId)
    },

    async recheckUnknown() {
      // Skips usernames with suggestions, because their buyers are asked to choose one.
      const hasNoSuggestion = sql`${access.similar} = '[]'`
      const rows = await db
        .select({ userId: access.userId })
        .from(access)
        .where(and(isUnknownName, isNotNull(access.reason), hasNoSuggestion))
      for (const { userId } of rows) await db.transaction((tx) => recheck(tx, userId))
    },
  }
}

/** A paying customer may replace the username but not clear it. */
async function clearUsername(tx: Transaction, userId: string, rows: AccessRow[], field: Field = 'username') {
  if (rows.some(({ reason, state }) => reason !== null && state !== 'none'))
    throw invalid(field, 'Please enter the TradingView username that we unlock for you.')
  await tx.update(access).set({ username: null, nameKey: null, nameProblem: null }).where(eq(access.userId, userId))
  await setTradingViewUsername(tx, userId, null)
}

type UsernameFacts = { isMove: boolean; isUnlockedAlready: boolean; isPaid: boolean }

function eventOf({ isMove, isUnlockedAlready, isPaid }: UsernameFacts) {
  if (isUnlockedAlready) return 'granted'
  if (isMove) return 'renamed'
  return isPaid ? 'asked' : 'named'
}

function nameProblemOf(isTaken: boolean, key: string | null): NameProblem | null {
  if (isTaken) return 'taken'
  return key ? null : 'unreadable'
}

const isUnknownName = eq(access.nameProblem, 'not_found')

const isUnlockedName = (key: string) => sql`lower(${access.unlockedName}) = ${key}`
const isOfAnotherBuyer = ({ userId, productId }: AccessKey) =>
  and(eq(access.productId, productId), ne(access.userId, userId))

/** Returns another customer who pays for this username, or whose access still uses it until they have moved. */
async function findOtherHolder(tx: Transaction | Database, buyer: AccessKey, key: string): Promise<string | undefined> {
  const [other] = await tx
    .select({ userId: access.userId })
    .from(access)
    .where(and(isOfAnotherBuyer(buyer), isNotNull(access.reason), or(eq(access.nameKey, key), isUnlockedName(key))))
  return other?.userId
}

/** Takes the username from former customers. If they come back, they learn that it is taken. */
async function releaseUsername(tx: Transaction, context: ChangeContext, buyer: AccessKey, key: string) {
  await tx
    .update(access)
    .set({ nameKey: null, nameProblem: 'taken', version: sql`${access.version} + 1` })
    .where(and(isOfAnotherBuyer(buyer), eq(access.nameKey, key)))
  const unlockedRows = await tx
    .select({ id: access.id })
    .from(access)
    .where(and(isOfAnotherBuyer(buyer), isUnlockedName(key)))
  const ids = unlockedRows.map(({ id }) => id)
  // Neither locks nor emails, because the TradingView account belongs to the new customer.
  for (const row of await lockRows(tx, ids)) {
    const step = nextStep('closed', factsOf(row, false, context.now()))
    const accessChange = { event: 'closed', to: step?.to ?? row.state, username: row.unlockedName } as const
    await changeAccess(tx, context, row, accessChange, { unlockedName: null })
  }
}
