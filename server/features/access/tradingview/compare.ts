import { and, eq, isNull, notInArray } from 'drizzle-orm'
import { normalizeUsername } from '#contract/tradingview-name.ts'
import type { Context } from '#server/context.ts'
import { access, tvPeople, type tvRuns } from '#server/database/schema.ts'
import type { PeopleList, TradingViewClient } from '#server/gateways/tradingview.ts'
import { decide, removesAccess, type ScriptRow, storeIfUnchanged, type UsernamePlan, usernamePlanFor } from './plan.ts'
import { recordNameNotFound } from './sync-name.ts'

type Listed = PeopleList['people'][number]
export type Run = Omit<typeof tvRuns.$inferInsert, 'scriptId' | 'startedAt'> & { toSync: string[] }

/** How many people may lose something in one night before the seller is asked. */
const guardOf = (people: number) => Math.max(5, Math.floor(people / 10))

/** Compares a script's list with what is wanted. Only a list that reached its end allows a conclusion. */
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
  const listed = new Map(people.map((each) => [normalizeUsername(each.username), each]))
  const works = await worksOn(context, script)
  const counts = { missing: 0, wrong: 0, ended: 0 }
  const lost: string[] = []
  const toSync: string[] = []
  for (const work of works) {
    const { person, row, wish } = work
    const found = listed.get(person.usernameKey)
    const observed = { isPresent: found !== undefined, until: found?.until ?? null }
    // A job that acts on this name at the same moment has the newer answer.
    await storeIfUnchanged(db, person, {
      isPresent: observed.isPresent,
      presentUntil: observed.until,
      observedAt: now(),
      listEntryId: found?.id ?? person.listEntryId,
    })
    const action = decide(observed, wish, work.isOurs)
    if (!person.userId) continue
    if (work.isHeld) {
      // Looks up usernames that cannot be unlocked yet.
      if (work.isCurrent && !row?.nameCheckedAt) toSync.push(person.userId)
      continue
    }
    // Its time is over and TradingView has ended it by itself: that is still to be recorded.
    if (action === 'nothing' && !wish.isWanted && row?.state === 'unlocked') toSync.push(person.userId)
    if (action === 'nothing' || action === 'leave') continue
    counts[action === 'add' ? 'missing' : action === 'remove' ? 'ended' : 'wrong'] += 1
    if (removesAccess(action, observed, wish)) lost.push(person.userId)
    else toSync.push(person.userId)
  }
  const propose = (stranger: Listed) => proposeRename(context, client, works, listed, stranger)
  const ownKeys = new Set(works.flatMap(({ person }) => (person.userId ? person.usernameKey : [])))
  const foreign = people.filter(({ username }) => !ownKeys.has(normalizeUsername(username)))
  await recordStrangers(context, script, foreign, propose)
  const isTooMany = lost.length > guardOf(people.length) && !mayRemove
  if (!isTooMany) toSync.push(...lost)
  return { ...run, ...counts, foreign: foreign.length, blockedRemovals: isTooMany ? lost.length : 0, toSync }
}

async function worksOn({ db, now }: Pick<Context, 'db' | 'now'>, script: ScriptRow): Promise<UsernamePlan[]> {
  const known = await db.select().from(tvPeople).where(eq(tvPeople.scriptId, script.id))
  const rows = await db.select().from(access).where(eq(access.productId, script.productId))
  const rowOf = new Map(rows.map((row) => [row.userId, row]))
  const namesOf = Map.groupBy(known, ({ userId }) => userId)
  return known.map((person) =>
    usernamePlanFor(
      person,
      script,
      rowOf.get(person.userId ?? ''),
      person.userId ? (namesOf.get(person.userId) ?? []) : [],
      now(),
    ),
  )
}

/** People whom this shop does not know are only listed, and forgotten when they are gone. */
async function recordStrangers(
  { db, now }: Pick<Context, 'db' | 'now'>,
  script: ScriptRow,
  strangers: Listed[],
  propose: (stranger: Listed) => Promise<string | null>,
) {
  for (const stranger of strangers) {
    const values = {
      isPresent: true,
      presentUntil: stranger.until,
      observedAt: now(),
      listEntryId: stranger.id,
      error: await propose(stranger),
    }
    await db
      .insert(tvPeople)
      .values({
        scriptId: script.id,
        usernameKey: normalizeUsername(stranger.username),
        username: stranger.username,
        createdAt: now(),
        ...values,
      })
      .onConflictDoUpdate({
        target: [tvPeople.scriptId, tvPeople.usernameKey],
        set: values,
        setWhere: isNull(tvPeople.userId),
      })
  }
  const keys = strangers.map(({ username }) => normalizeUsername(username))
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

/** Another name has the row's number of someone who is gone: perhaps renamed. Only proposed; returns what to tell the seller. */
async function proposeRename(
  context: Pick<Context, 'db' | 'mails' | 'now'>,
  client: TradingViewClient,
  works: UsernamePlan[],
  listed: Map<string, Listed>,
  { id, username }: Listed,
): Promise<string | null> {
  const former = works.find(
    ({ person, isCurrent }) => isCurrent && person.listEntryId === id && !listed.has(person.usernameKey),
  )
  if (!former?.row || 'username' in (await client.findName(former.person.username))) return null
  const { row, person } = former
  await context.db.transaction((tx) =>
    recordNameNotFound(tx, context, row, { username: person.username, similar: [username] }),
  )
  return `${person.username} is now ${username}?`
}
