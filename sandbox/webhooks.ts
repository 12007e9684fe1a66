import { createHmac } from 'node:crypto'
import type pg from 'pg'
import { coalesce } from './basics.ts'
import { missing } from './failure.ts'

export type Endpoint = { url: string; secret: string }
type Log = (message: string, detail?: object) => void
type LeasedDelivery = { id: string; event: string; attempts: number; body: unknown }

/** Seconds between attempts. The last is after about three days, as at Stripe. */
const retryDelaysSeconds = [1, 5, 30, 120, 600, 3600, 3 * 3600, 6 * 3600, 12 * 3600, 24 * 3600, 24 * 3600]
const leaseSeconds = 60
const timeoutMs = 20_000
const batchSize = 16

/** `at` is in seconds since 1970. */
function signature(body: string, secret: string, at: number): string {
  const digest = createHmac('sha256', secret).update(`${at}.${body}`).digest('hex')
  return `t=${at},v1=${digest}`
}

/** Delivers queued events at least once. If a process dies, another delivers after the lease has expired. */
export function createWebhooks(database: pg.Pool, shop: Endpoint, log: Log, isListening: () => boolean = () => true) {
  let isClosed = false
  let alarm: NodeJS.Timeout | undefined

  /** Leases due deliveries. A flush also takes first attempts that are delayed by a quirk. */
  async function lease(isFlushing: boolean): Promise<LeasedDelivery[]> {
    const { rows } = await database.query<LeasedDelivery>(
      `with waiting as (
          select id as delivery, next_at as due from sandbox.deliveries
            where next_at is not null and (next_at <= clock_timestamp() or ($2 and last_answer is null and attempts = 0))
            order by next_at, id limit $3 for update skip locked),
        leased as (
          update sandbox.deliveries set next_at = clock_timestamp() + make_interval(secs => $1), attempts = attempts + 1
            from waiting where id = delivery returning id, event, attempts, due)
        select leased.id, event, attempts, events.data as body from leased join sandbox.events on events.id = event
          order by due, leased.id`,
      [leaseSeconds, isFlushing, batchSize],
    )
    return rows
  }

  async function send(body: string): Promise<{ ok: boolean; answer: string }> {
    try {
      const response = await fetch(shop.url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json; charset=utf-8',
          'user-agent': 'Stripe/1.0 (sandbox)',
          'stripe-signature': signature(body, shop.secret, Math.floor(Date.now() / 1000)),
        },
        body,
        redirect: 'manual',
        signal: AbortSignal.timeout(timeoutMs),
      })
      const text = await response.text()
      return { ok: response.ok, answer: `${response.status} ${text.slice(0, 200)}`.trim() }
    } catch (error) {
      const cause = error instanceof Error ? (error.cause ?? error) : error
      return { ok: false, answer: cause instanceof Error ? cause.message : String(cause) }
    }
  }

  async function deliver(delivery: LeasedDelivery) {
    const { ok, answer } = await send(JSON.stringify(delivery.body))
    const waitSeconds = ok ? null : (retryDelaysSeconds[delivery.attempts - 1] ?? null)
    await database.query(
      `update sandbox.deliveries set last_answer = $2, delivered_at = case when $3 then now() end,
        next_at = case when $4::int is null then null else clock_timestamp() + make_interval(secs => $4) end where id = $1`,
      [delivery.id, answer, ok, waitSeconds],
    )
    // A first failure is not logged, because the shop may be restarting.
    if (!ok && delivery.attempts > 1)
      log('The shop did not accept a webhook', { event: delivery.event, attempt: delivery.attempts, answer })
  }

  async function deliverDue(isFlushing: boolean) {
    for (;;) {
      const leased = isClosed || !isListening() ? [] : await lease(isFlushing)
      await Promise.all(leased.map(deliver))
      // A flush ends only when nothing is left to deliver.
      const isLastBatch = isFlushing ? leased.length === 0 : leased.length < batchSize
      if (isLastBatch) return
    }
  }

  /** Sets a timer if a delivery is due before the next poll, which runs every second. */
  async function scheduleNextRun() {
    const { rows } = await database.query<{ ms: number | null }>(
      `select extract(epoch from min(next_at) - clock_timestamp())::float8 * 1000 as ms
        from sandbox.deliveries where next_at is not null`,
    )
    const ms = rows[0]?.ms ?? null
    clearTimeout(alarm)
    if (ms !== null && ms < 1000 && !isClosed && isListening())
      alarm = setTimeout(() => void deliveries.run(), Math.max(ms, 0) + 1).unref()
  }

  const deliveries = coalesce(() =>
    deliverDue(false)
      .then(scheduleNextRun)
      .catch((error: unknown) => log('Webhooks could not be delivered', { error: String(error) })),
  )

  return {
    wake: deliveries.run,

    async flush() {
      await deliveries.run()
      await deliverDue(true)
    },

    redeliver: async (event: string) => {
      const { rowCount } = await database.query(
        'insert into sandbox.deliveries (event) select id from sandbox.events where id = $1',
        [event],
      )
      if (rowCount === 0) throw missing('event', event)
      await deliveries.run()
    },

    async close() {
      isClosed = true
      clearTimeout(alarm)
      await deliveries.idle()
    },
  }
}
