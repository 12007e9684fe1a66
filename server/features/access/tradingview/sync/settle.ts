import { eq } from 'drizzle-orm'
import type { ConnectionMode } from '#contract/statuses.ts'
import { keyOfName } from '#contract/tradingview-name.ts'
import type { Database } from '#server/database/connect.ts'
import { tvGrants } from '#server/database/schema.ts'
import { type EntitlementRow, recordCheckedName } from '#server/features/access/entitlements/entitlements.ts'
import { type TradingViewClient, TradingViewFailure } from '#server/gateways/tradingview.ts'
import type { Mails } from '#server/mails/mails.ts'
import { type Action, decide, isSameUntil, isWantedNow, takesAway } from './decide.ts'
import { type GrantRow, quiet, store, type Work, wishOf } from './grants.ts'
import { tellNameNotFound } from './name-not-found.ts'
import type { Recording, Seen } from './record.ts'

type Dependencies = {
  db: Database
  now: () => Date
  mails: Mails
  record: Recording
  /** Where a test may end the process; nothing in production. */
  crashPoint: (name: string) => void
}

/** One name on one script: read, act, read again, store. */
export function createSettle({ db, now, mails, record, crashPoint }: Dependencies) {
  /** Asked once for each claimed name; returns false if TradingView does not know it. */
  async function check(client: TradingViewClient, work: Work): Promise<boolean> {
    const { entitlement, grant } = work
    if (!entitlement || entitlement.checkedAt) return entitlement?.problem !== 'not_found'
    return ask(client, grant, entitlement)
  }

  async function ask(
    client: TradingViewClient,
    grant: GrantRow,
    entitlement: EntitlementRow,
  ): Promise<boolean> {
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
      await tellNameNotFound(tx, mails, entitlement, username, found.similar)
    })
    grant.username = username
    return isKnown
  }

  /** Does what is to be done and looks at what came of it. Undefined if the wish has changed in the meantime. */
  async function change(client: TradingViewClient, work: Work, action: Action): Promise<Seen | undefined> {
    // Before the call: after a crash it must be known that this one may be removed again.
    const marked = await store(db, work.grant, { isOurs: action === 'add' ? true : work.grant.isOurs })
    if (!marked) return undefined
    work.grant = marked
    await act(client, work, action)
    crashPoint('tradingview acted')
    const seen = await read(client, work)
    // An endless access may refuse a date: then it is made anew.
    const isIgnored = action === 'modify' && seen.isPresent && !isSameUntil(seen.until, marked.wantedUntil)
    if (!isIgnored || !marked.isOurs) return seen
    await act(client, work, 'remove')
    await act(client, work, 'add')
    return read(client, work)
  }

  async function bringInLine(client: TradingViewClient, mode: ConnectionMode, work: Work): Promise<boolean> {
    const wish = wishOf(work.grant)
    if (isWantedNow(wish, now()) && !(await check(client, work)))
      return Boolean(await store(db, work.grant, { ...quiet, state: 'name_not_found' }))
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
  return async function settle(
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
        return Boolean(await store(db, grant, { ...quiet, state: 'name_not_found' }))
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
