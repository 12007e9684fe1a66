import type pg from 'pg'
import { type List, listOf, newId } from './basics.ts'
import { missing } from './failure.ts'
import type { Customer } from './objects/customer.ts'
import { dueAt, type Kind, type Kinds, ownerOf, type StoredObject } from './objects/kinds.ts'
import { createRandom, type Quirks } from './quirks.ts'

export const apiVersion = '2026-10-28.endive'

export type EventRequest = { id: string; idempotency_key: string | null }
export type Page = { limit?: number | undefined; starting_after?: string | undefined }
export type Filter = {
  match?: object
  oneOf?: { field: string; values: string[] } | undefined
  createdSince?: number | undefined
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
type Database = Pick<pg.ClientBase, 'query'>
type WorkInput = Pick<Work, 'database' | 'present' | 'request' | 'quirks' | 'subscribedEvents' | 'time'>

type ReadMode = 'read' | 'lock'

/** A transaction on the sandbox's data. Its time is the customer's test clock, or the sandbox's clock. */
export class Work {
  readonly database: Database
  readonly present: (value: unknown) => Record<string, unknown>
  readonly request: EventRequest | null
  readonly quirks: Quirks
  readonly subscribedEvents: string[]
  /** The sandbox's time in seconds, with fractions; objects carry `now`, in whole seconds. */
  readonly time: number
  private readonly events: Event[] = []
  private random: (() => number) | undefined
  /** Objects by id that other transactions cannot change, because this one holds the lock or wrote them. */
  private readonly cache = new Map<string, StoredObject>()
  private isLocked = false
  now: number
  clock: string | null = null
  /** Seconds until the first of the written objects is due. */
  secondsUntilDue = Number.POSITIVE_INFINITY

  constructor(input: WorkInput) {
    this.database = input.database
    this.present = input.present
    this.request = input.request
    this.quirks = input.quirks
    this.subscribedEvents = input.subscribedEvents
    this.time = input.time
    this.now = Math.floor(input.time)
  }

  /** Each transaction has its own generator, derived from the seed. */
  async randomNumbers(): Promise<() => number> {
    if (this.random) return this.random
    const { rows } = await this.database.query<{ draw: string }>(`select nextval('sandbox.draws') as draw`)
    // The large factor keeps the generators of neighboring seeds apart.
    this.random = createRandom(this.quirks.seed * 1_000_003 + Number(rows[0]?.draw ?? 0))
    return this.random
  }

  private trackDueTime(stored: StoredObject): number | null {
    const at = dueAt(stored)
    // Objects on a test clock are due when that clock is advanced.
    if (at !== null && this.clock === null) this.secondsUntilDue = Math.min(this.secondsUntilDue, at - this.time)
    return at
  }

  async find<K extends Kind>(kind: K, id: string, mode: ReadMode = 'read'): Promise<Kinds[K] | undefined> {
    const isLocking = mode === 'lock'
    const cached = isLocking ? undefined : this.cache.get(id)
    if (cached?.object === kind) return cached as Kinds[K]
    const { rows } = await this.database.query<{ data: Kinds[K] }>(
      `select data from sandbox.objects where id = $1 and kind = $2${isLocking ? ' for update' : ''}`,
      [id, kind],
    )
    if (isLocking) {
      this.isLocked = true
      // Earlier reads may be older than the lock.
      this.cache.clear()
    }
    if (rows[0] && this.isLocked) this.cache.set(id, rows[0].data)
    return rows[0]?.data
  }

  /** `param` is the request parameter that the error names. */
  async get<K extends Kind>(kind: K, id: string, param?: string, mode: ReadMode = 'read'): Promise<Kinds[K]> {
    const found = await this.find(kind, id, mode)
    if (found) return found
    const hasNamespace = kind.includes('.')
    const defaultParam = hasNamespace ? 'id' : kind
    throw missing(kind.replace('test_helpers.', ''), id, param ?? defaultParam)
  }

  /** Reads an object to change it. Locks its customer, or itself if it has none, until the transaction ends. */
  async getForUpdate<K extends Kind>(kind: K, id: string, param?: string): Promise<Kinds[K]> {
    const owner = kind === 'customer' ? id : ownerOf(await this.get(kind, id, param))
    if (!owner) return this.get(kind, id, param, 'lock')
    const customer = await this.get('customer', owner, param, 'lock')
    this.clock = 'deleted' in customer ? null : customer.test_clock
    if (this.clock) this.now = (await this.get('test_helpers.test_clock', this.clock)).frozen_time
    return this.get(kind, id, param)
  }

  async customer(id: string, param?: string): Promise<Customer> {
    const customer = await this.get('customer', id, param)
    if ('deleted' in customer) throw missing('customer', id, param ?? 'customer')
    return customer
  }

  async insert<T extends StoredObject>(stored: T): Promise<T> {
    await this.database.query(
      'insert into sandbox.objects (id, kind, clock, due_at, data) values ($1, $2, $3, $4, $5)',
      [stored.id, stored.object, this.clock, this.trackDueTime(stored), JSON.stringify(stored)],
    )
    this.cache.set(stored.id, stored)
    return stored
  }

  async save<T extends StoredObject>(stored: T): Promise<T> {
    await this.database.query('update sandbox.objects set data = $2, due_at = $3 where id = $1', [
      stored.id,
      JSON.stringify(stored),
      this.trackDueTime(stored),
    ])
    this.cache.set(stored.id, stored)
    return stored
  }

  async create<T extends StoredObject>(stored: T): Promise<T> {
    await this.insert(stored)
    this.emit(`${stored.object}.created`, stored)
    return stored
  }

  async update<T extends StoredObject>(before: StoredObject, after: T): Promise<T> {
    await this.save(after)
    this.emit(`${after.object}.updated`, after, before)
    return after
  }

  /** Oldest first. */
  async all<K extends Kind>(kind: K, match: object): Promise<Kinds[K][]> {
    const { rows } = await this.database.query<{ data: Kinds[K] }>(
      'select data from sandbox.objects where kind = $1 and data @> $2 order by seq',
      [kind, JSON.stringify(match)],
    )
    return rows.map((row) => row.data)
  }

  /** Newest first. */
  async list<K extends Kind>(kind: K, filter: Filter, page: Page): Promise<List<Kinds[K]>> {
    const limit = Math.min(Math.max(page.limit ?? 10, 1), 100)
    const cursor = page.starting_after
    if (cursor !== undefined) await this.get(kind, cursor, 'starting_after')
    const { rows } = await this.database.query<{ data: Kinds[K] }>(
      `select data from sandbox.objects
        where kind = $1 and data @> $2 and not data ? 'deleted' and ($3::text is null or data->>$3 = any ($4))
          and ($5::text is null or seq < (select seq from sandbox.objects where id = $5))
          and ($6::bigint is null or (data->>'created')::bigint >= $6)
        order by seq desc limit $7`,
      [
        kind,
        JSON.stringify(filter.match ?? {}),
        filter.oneOf?.field ?? null,
        filter.oneOf?.values ?? [],
        cursor ?? null,
        filter.createdSince ?? null,
        limit + 1,
      ],
    )
    const data = rows.slice(0, limit).map((row) => row.data)
    return listOf(`/v1/${kind}s`, data, rows.length > limit)
  }

  /** `before` gives an update its `previous_attributes`. */
  emit(type: string, stored: StoredObject, before?: StoredObject) {
    const object = this.present(stored)
    const previous = before && this.present(before)
    this.events.push({
      id: newId('evt'),
      object: 'event',
      api_version: apiVersion,
      created: this.now,
      data: previous ? { object, previous_attributes: previousValues(previous, object) } : { object },
      livemode: false,
      pending_webhooks: this.quirks.drop ? 0 : 1,
      request: this.request ?? { id: null, idempotency_key: null },
      type,
    })
  }

  async storeEvents() {
    if (this.events.length === 0) return
    const { drop, duplicates, spread, delaySeconds } = this.quirks
    // Without a random quirk, no generator is created and every number may be the same.
    const isRandom = !drop && duplicates + spread > 0
    const random = isRandom ? await this.randomNumbers() : () => 0.5
    const isSubscribed = ({ type }: Event) =>
      this.subscribedEvents.includes('*') || this.subscribedEvents.includes(type)
    const sentEvents = drop ? [] : this.events.filter(isSubscribed)
    const copies: { id: string; wait: number }[] = []
    for (const { id } of sentEvents) {
      const copyCount = random() < duplicates ? 2 : 1
      for (let copy = 0; copy < copyCount; copy++) copies.push({ id, wait: delaySeconds + random() * spread })
    }

    await this.database.query(
      `with inserted_events as (insert into sandbox.events (id, type, created, data)
          select id, type, created, data from unnest($1::text[], $2::text[], $3::bigint[], $4::json[])
            with ordinality as new_events (id, type, created, data, position) order by position)
        insert into sandbox.deliveries (event, next_at)
        select id, clock_timestamp() + make_interval(secs => wait)
          from unnest($5::text[], $6::float8[]) with ordinality as copies (id, wait, position) order by position`,
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

function previousValues(before: Record<string, unknown>, after: Record<string, unknown>) {
  const keys = Object.keys(before).filter((key) => JSON.stringify(before[key]) !== JSON.stringify(after[key]))
  return Object.fromEntries(keys.map((key) => [key, before[key]]))
}
