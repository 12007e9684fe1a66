import { and, desc, eq, getTableColumns, isNotNull, like, lt, notInArray, or, sql } from 'drizzle-orm'
import type { tradingViewAdmin as calls } from '#contract/access/tradingview-admin.ts'
import type { ParsedInputOf, RawOutputOf } from '#contract/endpoint.ts'
import { retention, retentionStart } from '#contract/retention.ts'
import { parseUsername } from '#contract/tradingview-name.ts'
import type { Actor } from '#server/actor.ts'
import type { Context } from '#server/context.ts'
import type { Transaction } from '#server/database/connect.ts'
import { containing, decodeCursor, type Page, pageOf } from '#server/database/cursor.ts'
import { access, isForeign, tvEvents, tvPeople, tvRuns, tvScripts } from '#server/database/schema.ts'
import { conflict, notFound } from '#server/errors.ts'
import { TradingViewFailure } from '#server/gateways/tradingview.ts'
import { type Connecting, connectSandbox, createConnecting } from './connecting.ts'
import type { Connection } from './connection.ts'
import type { ConnectorDeps } from './connector.ts'
import type { Measures } from './measures.ts'
import { createPeopleMeter, type PeopleMeter } from './people-meter.ts'
import { nextVersion, noFailure } from './plan.ts'
import { createReconcile } from './reconcile.ts'
import { createScripts, type Scripts } from './scripts.ts'

export { currentConnection, resealCookies } from './connection.ts'
export { createConnector, servedProducts } from './connector.ts'

type TradingViewContext = Pick<
  Context,
  'audit' | 'catalog' | 'db' | 'mails' | 'now' | 'queue' | 'secrets' | 'supportEmail' | 'tradingView'
>

/** Every action of an admin is audited. */
export type TradingView = {
  measures: Measures
  connecting: Connecting
  connectSandbox(): Promise<void>
  scripts: Scripts
  person: PersonActions
  checkUsername(typed: string): Promise<NameAnswer>
  reconcile(): Promise<void>
  meter: PeopleMeter
  catchUp(): Promise<void>
  remind(): Promise<void>
  /** Deletes calls after 90 days, and calls about deleted people the next night. */
  forgetHistory(): Promise<void>
  /** Entries on the lists that belong to no customer. The connector leaves them alone. */
  foreignEntries(
    filter: ParsedInputOf<typeof calls.foreignEntries>,
  ): Promise<Page<RawOutputOf<typeof calls.foreignEntries>[number]>>
  runs(): Promise<RawOutputOf<typeof calls.runs>>
}

const maxRunsShown = 10

export function createTradingView(context: TradingViewContext, deps: ConnectorDeps): TradingView {
  const { db, now } = context
  const { connector } = deps
  return {
    measures: connector.measures,
    connecting: createConnecting(context, deps),
    connectSandbox: () => connectSandbox(context),
    scripts: createScripts(context, connector),
    person: createPersonActions(context, deps),
    checkUsername: createNameCheck(connector.connection),
    reconcile: createReconcile(context, deps),
    meter: createPeopleMeter(context),
    catchUp: connector.catchUp,
    remind: connector.connection.health.remind,

    async forgetHistory() {
      const knownKeys = db.select({ key: tvPeople.usernameKey }).from(tvPeople)
      await db
        .delete(tvEvents)
        .where(
          or(
            lt(tvEvents.at, retentionStart(now(), retention.tradingViewCalls)),
            and(isNotNull(tvEvents.usernameKey), notInArray(tvEvents.usernameKey, knownKeys)),
          ),
        )
    },

    async foreignEntries({ limit, cursor, q }) {
      const after = decodeCursor(cursor)
      const rows = await db
        .select({ ...getTableColumns(tvPeople), script: tvScripts.name, until: tvPeople.presentUntil })
        .from(tvPeople)
        .innerJoin(tvScripts, eq(tvScripts.id, tvPeople.scriptId))
        .where(
          and(
            isForeign,
            q ? like(tvPeople.usernameKey, containing(q)) : undefined,
            after && sql`(${tvPeople.createdAt}, ${tvPeople.id}) < (${after.at}, ${after.id})`,
          ),
        )
        .orderBy(desc(tvPeople.createdAt), desc(tvPeople.id))
        .limit(limit + 1)
      return pageOf(rows, limit, ({ createdAt, id }) => ({ at: createdAt, id }))
    },

    runs: () =>
      db
        .select({ ...getTableColumns(tvRuns), script: tvScripts.name })
        .from(tvRuns)
        .innerJoin(tvScripts, eq(tvScripts.id, tvRuns.scriptId))
        .orderBy(desc(tvRuns.startedAt))
        .limit(maxRunsShown),
  }
}

type PersonActions = {
  /** Tries again now, and checks the username again. */
  retry(actor: Actor, id: string): Promise<void>
  /** Lets the connector manage a customer's entry that the shop did not make. */
  adopt(actor: Actor, id: string): Promise<void>
}

function createPersonActions(
  { db, now, audit }: Pick<Context, 'db' | 'now' | 'audit'>,
  { connector, access: { names } }: ConnectorDeps,
): PersonActions {
  const changePerson = (actor: Actor, id: string, action: 'adopt' | 'retry', change: PersonChange) =>
    db.transaction(async (tx) => {
      const [row] = await tx.select({ userId: access.userId }).from(access).where(eq(access.id, id))
      if (!row) throw notFound('Person')
      await change(tx, row.userId)
      await audit.record(tx, actor, { action: `tradingview.${action}`, subject: id, aboutId: row.userId })
    })

  return {
    retry: (actor, id) =>
      changePerson(actor, id, 'retry', async (tx, userId) => {
        await tx
          .update(tvPeople)
          .set({ ...noFailure, nextTryAt: now(), ...nextVersion })
          .where(eq(tvPeople.userId, userId))
        await names.recheck(tx, userId)
      }),

    adopt: (actor, id) =>
      changePerson(actor, id, 'adopt', async (tx, userId) => {
        const adopted = await tx
          .update(tvPeople)
          .set({ isOurs: true, ...nextVersion })
          .where(and(eq(tvPeople.userId, userId), eq(tvPeople.isPresent, true)))
        if (!adopted.rowCount) throw conflict('already-handled', 'This person is on none of the lists.')
        await connector.requestSync(tx, userId)
      }),
  }
}

type PersonChange = (tx: Transaction, userId: string) => Promise<void>

type NameAnswer = { found: boolean | null; username: string | null; similar: string[]; refusal: string | null }

/** After 2 s, the checkout continues without an answer. */
const maxWaitMs = 2000
const noAnswer: NameAnswer = { found: null, username: null, similar: [], refusal: null }

function createNameCheck(connection: Connection): TradingView['checkUsername'] {
  async function askTradingView(username: string): Promise<NameAnswer> {
    const opened = await connection.open(maxWaitMs)
    if (!opened || opened.row.downSince) return noAnswer
    const found = await opened.client.findName(username)
    return 'username' in found
      ? { ...noAnswer, found: true, username: found.username }
      : { ...noAnswer, found: false, similar: found.similar }
  }

  return async function checkUsername(typed) {
    const parsed = parseUsername(typed)
    if ('refusal' in parsed) return { ...noAnswer, refusal: parsed.refusal }
    try {
      return await askTradingView(parsed.username)
    } catch (error) {
      if (!(error instanceof TradingViewFailure)) throw error
      return noAnswer
    }
  }
}
