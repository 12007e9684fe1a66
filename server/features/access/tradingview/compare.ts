import { and, eq, isNull, notInArray } from 'drizzle-orm'
import { normalizeUsername } from '#contract/tradingview-name.ts'
import type { Context } from '#server/context.ts'
import { access, tvPeople, type tvRuns } from '#server/database/schema.ts'
import type { PeopleList, TradingViewClient } from '#server/gateways/tradingview.ts'
import {
  type Action,
  decideAction,
  removesAccess,
  type ScriptRow,
  storeIfUnchanged,
  type UsernamePlan,
  usernamePlanFor,
} from './plan.ts'
import { recordNameNotFound } from './sync-name.ts'

type ListedPerson = PeopleList['people'][number]

/** Row of `tv_runs`, with the people to sync. */
export type Run = Omit<typeof tvRuns.$inferInsert, 'scriptId' | 'startedAt'> & { toSync: string[] }

/** Above this number of removals in one night, the seller must confirm them: 10% of the list, but at least 5. */
const maxUnconfirmedRemovals = (people: number) => Math.max(5, Math.floor(people / 10))

/** Stores what was observed and returns whom to sync. An incomplete list changes nothing. */
export async function compare(
  context: Pick<Context, 'db' | 'mails' | 'now'>,
  client: TradingViewClient,
  script: ScriptRow,
  { people, isComplete, pages }: PeopleList,
  mayRemove: boolean,
): Promise<Run> {
  const run: Run = { pages, isComplete, people: people.length, toSync: [] }
  if (!isComplete) return run

  const { db, now } = context
  const listed = new Map(people.map((listedPerson) => [normalizeUsername(listedPerson.username), listedPerson]))
  const plans = await findPlans(context, script)
  const counts = { missing: 0, wrong: 0, ended: 0 }
  const toLock: string[] = []
  const toSync: string[] = []

  for (const plan of plans) {
    const { person, row, target } = plan
    const entry = listed.get(person.usernameKey)
    const observed = { isPresent: entry !== undefined, until: entry?.until ?? null }
    // Stores nothing if a concurrent sync has stored a newer answer.
    await storeIfUnchanged(db, person, {
      isPresent: observed.isPresent,
      presentUntil: observed.until,
      observedAt: now(),
      listEntryId: entry?.id ?? person.listEntryId,
    })

    const action = decideAction(observed, target, plan.isOurs)
    if (!person.userId) continue
    if (plan.isAwaitingSeller) {
      // A sync looks up the username, although it can't unlock it yet.
      if (plan.isCurrent && !row?.nameCheckedAt) toSync.push(person.userId)
      continue
    }

    // TradingView ended this access by itself at its end date; a sync records that.
    if (action === 'nothing' && !target.isWanted && row?.state === 'unlocked') toSync.push(person.userId)
    if (action === 'nothing' || action === 'leave') continue
    counts[differenceOf(action)] += 1
    if (removesAccess(action, observed, target)) toLock.push(person.userId)
    else toSync.push(person.userId)
  }

  const propose = (foreignPerson: ListedPerson) => proposeRename(context, client, plans, listed, foreignPerson)
  const plansOfCustomers = plans.filter(({ person }) => person.userId !== null)
  const customerKeys = new Set(plansOfCustomers.map(({ person }) => person.usernameKey))
  const foreign = people.filter(({ username }) => !customerKeys.has(normalizeUsername(username)))
  await recordForeignEntries(context, script, foreign, propose)

  const isTooMany = toLock.length > maxUnconfirmedRemovals(people.length) && !mayRemove
  if (!isTooMany) toSync.push(...toLock)
  return { ...run, ...counts, foreign: foreign.length, blockedRemovals: isTooMany ? toLock.length : 0, toSync }
}

function differenceOf(action: Exclude<Action, 'nothing' | 'leave'>) {
  if (action === 'add') return 'missing'
  return action === 'remove' ? 'ended' : 'wrong'
}

async function findPlans({ db, now }: Pick<Context, 'db' | 'now'>, script: ScriptRow): Promise<UsernamePlan[]> {
  const people = await db.select().from(tvPeople).where(eq(tvPeople.scriptId, script.id))
  const rows = await db.select().from(access).where(eq(access.productId, script.productId))
  const rowByUser = new Map(rows.map((row) => [row.userId, row]))
  const peopleByUser = Map.groupBy(people, ({ userId }) => userId)
  return people.map((person) => {
    const { userId } = person
    if (!userId) return usernamePlanFor(person, script, undefined, [], now())
    return usernamePlanFor(person, script, rowByUser.get(userId), peopleByUser.get(userId) ?? [], now())
  })
}

async function recordForeignEntries(
  { db, now }: Pick<Context, 'db' | 'now'>,
  script: ScriptRow,
  foreignPeople: ListedPerson[],
  propose: (foreignPerson: ListedPerson) => Promise<string | null>,
) {
  for (const person of foreignPeople) {
    const values = {
      isPresent: true,
      presentUntil: person.until,
      observedAt: now(),
      listEntryId: person.id,
      // The seller reads it beside the entry, like an error.
      error: await propose(person),
    }
    await db
      .insert(tvPeople)
      .values({
        scriptId: script.id,
        usernameKey: normalizeUsername(person.username),
        username: person.username,
        createdAt: now(),
        ...values,
      })
      .onConflictDoUpdate({
        target: [tvPeople.scriptId, tvPeople.usernameKey],
        set: values,
        setWhere: isNull(tvPeople.userId),
      })
  }
  const keys = foreignPeople.map(({ username }) => normalizeUsername(username))
  await db
    .delete(tvPeople)
    .where(
      and(
        eq(tvPeople.scriptId, script.id),
        isNull(tvPeople.userId),
        keys.length > 0 ? notInArray(tvPeople.usernameKey, keys) : undefined,
      ),
    )
}

/** Returns a text for the seller if a foreign entry has the id of a buyer's missing entry: a probable rename. */
async function proposeRename(
  context: Pick<Context, 'db' | 'mails' | 'now'>,
  client: TradingViewClient,
  plans: UsernamePlan[],
  listed: Map<string, ListedPerson>,
  { id, username }: ListedPerson,
): Promise<string | null> {
  const formerPlan = plans.find(
    ({ person, isCurrent }) => isCurrent && person.listEntryId === id && !listed.has(person.usernameKey),
  )
  if (!formerPlan?.row) return null
  const { row, person } = formerPlan
  const isFormerNameInUse = 'username' in (await client.findName(person.username))
  if (isFormerNameInUse) return null
  await context.db.transaction((tx) =>
    recordNameNotFound(tx, context, row, { username: person.username, similar: [username] }),
  )
  return `${person.username} is now ${username}?`
}
