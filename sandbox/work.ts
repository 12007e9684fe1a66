import type pg from 'pg'
import { type List, listOf, newId } from './basics.ts'
import { missing } from './failure.ts'
import type { Customer } from './objects/customer.ts'
import { dueAt, type Kind, type Kinds, ownerOf, type StoredObject } from './objects/kinds.ts'
import { createChance, type Quirks } from './quirks.ts'

export const apiVersion = '2026-10-28.endive'

export type RequestMark = { id: string; idempotency_key: string | null }
export type Page = { limit?: number | undefined; starting_after?: string | undefined }
export type Filter = {
  match?: object
  oneOf?: { field: string; values: string[] } | undefined
  /** Created then or later, in seconds. */
  since?: number | undefined
}

type Event = {
  id: string
  object: 'event'
  api_version: string
  created: number
  data: { object: object; previous_attributes?: object }
  livemode: false
  pending_webhooks: number
  request: { id: string | null; idempotency_key: string | null }
  type: string
}
type Sent = { query: pg.ClientBase['query'] }

/** A transaction on the sandbox's books, at the time of the customer's clock. */
export class Work {
  readonly database: Sent
  readonly present: (value: unknown) => Record<string, unknown>
  readonly request: RequestMark | null
  readonly quirks: Quirks
  readonly wanted: string[]
  /** The sandbox's time to the millisecond; `now` is what objects carry. */
  readonly time: number
  private readonly events: Event[] = []
  private drawn: (() => number) | undefined
  /** Objects written or read under the lock, which nobody else changes meanwhile. */
  private readonly known = new Map<string, StoredObject>()
  private isLocked = false
  now: number
  clock: string | null = null
  /** Seconds until the first of the written objects falls due. */
  dueSoon = Number.POSITIVE_INFINITY

  constructor(given: Pick<Work, 'database' | 'present' | 'request' | 'quirks' | 'wanted' | 'time'>) {
    this.database = given.database
    this.present = given.present
    this.request = given.request
    this.quirks = given.quirks
    this.wanted = given.wanted
    this.time = given.time
    this.now = Math.floor(given.time)
  }

  async chance(): Promise<() => number> {
    if (this.drawn) return this.drawn
    const { rows } = await this.database.query<{ draw: string }>(`select nextval('sandbox.draws') as draw`)
    this.drawn = createChance(this.quirks.seed * 1_000_003 + Number(rows[0]?.draw ?? 0))
    return this.drawn
  }

  private dueAt(kept: StoredObject): number | null {
    const at = dueAt(kept)
    if (at !== null && this.clock === null) this.dueSoon = Math.min(this.dueSoon, at - this.time)
    return at
  }

  /** With `lock`, no one else changes the row until the work ends. */
  async find<K extends Kind>(kind: K, id: string, lock = false): Promise<Kinds[K] | undefined> {
    const known = lock ? undefined : this.known.get(id)
    if (known?.object === kind) return known as Kinds[K]
    const { rows } = await this.database.query<{ data: Kinds[K] }>(
      `select data from sandbox.objects where id = $1 and kind = $2${lock ? ' for update' : ''}`,
      [id, kind],
    )
    if (lock) {
      this.isLocked = true
      this.known.clear()
    }
    if (rows[0] && this.isLocked) this.known.set(id, rows[0].data)
    return rows[0]?.data
  }

  async get<K extends Kind>(kind: K, id: string, param?: string, lock = false): Promise<Kinds[K]> {
    const found = await this.find(kind, id, lock)
    if (!found) throw missing(kind.replace('test_helpers.', ''), id, param ?? (kind.includes('.') ? 'id' : kind))
    return found
  }

  /** Reads an object to change it: no one else changes anything of the same customer until this work ends. */
  async claim<K extends Kind>(kind: K, id: string, param?: string): Promise<Kinds[K]> {
    const owner = kind === 'customer' ? id : ownerOf(await this.get(kind, id, param))
    if (!owner) return this.get(kind, id, param, true)
    const customer = await this.get('customer', owner, param, true)
    this.clock = 'deleted' in customer ? null : customer.test_clock
    if (this.clock) this.now = (await this.get('test_helpers.test_clock', this.clock)).frozen_time
    return this.get(kind, id, param)
  }

  async customer(id: string, param?: string): Promise<Customer> {
    const customer = await this.get('customer', id, param)
    if ('deleted' in customer) throw missing('customer', id, param ?? 'customer')
    return customer
  }

  async insert<T extends StoredObject>(kept: T): Promise<T> {
    await this.database.query(
      'insert into sandbox.objects (id, kind, clock, due_at, data) values ($1, $2, $3, $4, $5)',
      [kept.id, kept.object, this.clock, this.dueAt(kept), JSON.stringify(kept)],
    )
    this.known.set(kept.id, kept)
    return kept
  }

  async save<T extends StoredObject>(kept: T): Promise<T> {
    await this.database.query('update sandbox.objects set data = $2, due_at = $3 where id = $1', [
      kept.id,
      JSON.stringify(kept),
      this.dueAt(kept),
    ])
    this.known.set(kept.id, kept)
    return kept
  }

  async create<T extends StoredObject>(kept: T): Promise<T> {
    await this.insert(kept)
    this.emit(`${kept.object}.created`, kept)
    return kept
  }

  async update<T extends StoredObject>(before: StoredObject, after: T): Promise<T> {
    await this.save(after)
    this.emit(`${after.object}.updated`, after, before)
    return after
  }

  /** Every object of a kind that contains `match`, oldest first. */
  async all<K extends Kind>(kind: K, match: object): Promise<Kinds[K][]> {
    const { rows } = await this.database.query<{ data: Kinds[K] }>(
      'select data from sandbox.objects where kind = $1 and data @> $2 order by seq',
      [kind, JSON.stringify(match)],
    )
    return rows.map((row) => row.data)
  }

  /** Page of objects of a kind, newest first. */
  async list<K extends Kind>(kind: K, filter: Filter, page: Page): Promise<List<Kinds[K]>> {
    const limit = Math.min(Math.max(page.limit ?? 10, 1), 100)
    const cursor = page.starting_after
    if (cursor !== undefined) await this.get(kind, cursor, 'starting_after')
    const { rows } = await this.database.query<{ data: Kinds[K] }>(
      `select data from sandbox.objects
        where kind = $1 and data @> $2 and not data ? 'deleted' and ($3::text is null or data->>$3 = any ($4))
          and ($5::text is null or seq < (select seq from sandbox.objects where id = $5))
          and ($7::bigint is null or (data->>'created')::bigint >= $7)
        order by seq desc limit $6`,
      [
        kind,
        JSON.stringify(filter.match ?? {}),
        filter.oneOf?.field ?? null,
        filter.oneOf?.values ?? [],
        cursor ?? null,
        limit + 1,
        filter.since ?? null,
      ],
    )
    const data = rows.slice(0, limit).map((row) => row.data)
    return listOf(`/v1/${kind}s`, data, rows.length > limit)
  }

  /** Emits an event for a change; `before` gives an update its `previous_attributes`. */
  emit(type: string, kept: StoredObject, before?: StoredObject) {
    const object = this.present(kept)
    const old = before && this.present(before)
    this.events.push({
      id: newId('evt'),
      object: 'event',
      api_version: apiVersion,
      created: this.now,
      data: old ? { object, previous_attributes: changed(old, object) } : { object },
      livemode: false,
      pending_webhooks: this.quirks.drop ? 0 : 1,
      request: this.request ?? { id: null, idempotency_key: null },
      type,
    })
  }

  /** Records events and queues their delivery, together with the change itself. */
  async finish() {
    if (this.events.length === 0) return
    const { drop, duplicates, spread, delaySeconds } = this.quirks
    const chance = !drop && duplicates + spread > 0 ? await this.chance() : () => 0.5
    const isWanted = ({ type }: Event) => this.wanted.includes('*') || this.wanted.includes(type)
    // The second copy of an event arrives at a different moment than the first.
    const copies = (drop ? [] : this.events.filter(isWanted)).flatMap((event) =>
      (chance() < duplicates ? [event, event] : [event]).map(({ id }) => ({
        id,
        wait: delaySeconds + chance() * spread,
      })),
    )
    await this.database.query(
      `with kept as (insert into sandbox.events (id, type, created, data)
          select id, type, created, data from unnest($1::text[], $2::text[], $3::bigint[], $4::json[])
            with ordinality as told (id, type, created, data, place) order by place)
        insert into sandbox.deliveries (event, next_at)
        select id, clock_timestamp() + make_interval(secs => wait)
          from unnest($5::text[], $6::float8[]) with ordinality as told (id, wait, place) order by place`,
      [
        this.events.map((event) => event.id),
        this.events.map((event) => event.type),
        this.events.map((event) => event.created),
        this.events.map((event) => JSON.stringify(event)),
        copies.map(({ id }) => id),
        copies.map(({ wait }) => wait),
      ],
    )
  }
}

function changed(before: Record<string, unknown>, after: Record<string, unknown>) {
  const keys = Object.keys(before).filter((key) => JSON.stringify(before[key]) !== JSON.stringify(after[key]))
  return Object.fromEntries(keys.map((key) => [key, before[key]]))
}
