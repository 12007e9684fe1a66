import { createHmac } from 'node:crypto'
import type pg from 'pg'
import { coalesce } from './basics.ts'
import { missing } from './failure.ts'

export type Endpoint = { url: string; secret: string }
type Log = (message: string, detail?: object) => void
type Claimed = { id: string; event: string; attempts: number; body: unknown }

/** Seconds to the next try; after the last one we give up, as Stripe does (about three days). */
const backoff = [1, 5, 30, 120, 600, 3600, 3 * 3600, 6 * 3600, 12 * 3600, 24 * 3600, 24 * 3600]
const leaseSeconds = 60
const timeout = 20_000
const batch = 16

function signature(body: string, secret: string, at: number): string {
  const digest = createHmac('sha256', secret).update(`${at}.${body}`).digest('hex')
  return `t=${at},v1=${digest}`
}

/** Delivers queued events at least once. A delivery is leased to one process; if that dies, another takes over. */
export function createWebhooks(database: pg.Pool, shop: Endpoint, log: Log, isListening: () => boolean = () => true) {
  let closed = false
  let alarm: NodeJS.Timeout | undefined

  async function claim(everything: boolean): Promise<Claimed[]> {
    const { rows } = await database.query<Claimed>(
      `with waiting as (
          select id as delivery, next_at as due from sandbox.deliveries
            where next_at is not null and (next_at <= clock_timestamp() or ($2 and last_answer is null and attempts = 0))
            order by next_at, id limit $3 for update skip locked),
        claimed as (
          update sandbox.deliveries set next_at = clock_timestamp() + make_interval(secs => $1), attempts = attempts + 1
            from waiting where id = delivery returning id, event, attempts, due)
        select claimed.id, event, attempts, events.data as body from claimed join sandbox.events on events.id = event
          order by due, claimed.id`,
      [leaseSeconds, everything, batch],
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
        signal: AbortSignal.timeout(timeout),
      })
      const text = await response.text()
      return { ok: response.ok, answer: `${response.status} ${text.slice(0, 200)}`.trim() }
    } catch (error) {
      const cause = error instanceof Error ? (error.cause ?? error) : error
      return { ok: false, answer: cause instanceof Error ? cause.message : String(cause) }
    }
  }

  async function deliver(delivery: Claimed) {
    const { ok, answer } = await send(JSON.stringify(delivery.body))
    const wait = ok ? null : (backoff[delivery.attempts - 1] ?? null)
    await database.query(
      `update sandbox.deliveries set last_answer = $2, delivered_at = case when $3 then now() end,
        next_at = case when $4::int is null then null else clock_timestamp() + make_interval(secs => $4) end where id = $1`,
      [delivery.id, answer, ok, wait],
    )
    // The first try may meet a shop that is being restarted.
    if (!ok && delivery.attempts > 1)
      log('The shop did not accept a webhook', { event: delivery.event, attempt: delivery.attempts, answer })
  }

  async function deliverDue(everything: boolean) {
    for (;;) {
      const claimed = closed || !isListening() ? [] : await claim(everything)
      await Promise.all(claimed.map(deliver))
      if (claimed.length === 0 || (!everything && claimed.length < batch)) return
    }
  }

  /** Shortens the wait if something is due before the next poll. */
  async function wakeInTime() {
    const { rows } = await database.query<{ ms: number | null }>(
      `select extract(epoch from min(next_at) - clock_timestamp())::float8 * 1000 as ms
        from sandbox.deliveries where next_at is not null`,
    )
    const ms = rows[0]?.ms ?? null
    clearTimeout(alarm)
    if (ms !== null && ms < 1000 && !closed && isListening())
      alarm = setTimeout(() => void deliveries.run(), Math.max(ms, 0) + 1).unref()
  }

  const deliveries = coalesce(() =>
    deliverDue(false)
      .then(wakeInTime)
      .catch((error: unknown) => log('Webhooks could not be delivered', { error: String(error) })),
  )

  return {
    wake: deliveries.run,

    /** First tries everything that is waiting, even what is delayed on purpose. */
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
      closed = true
      clearTimeout(alarm)
      await deliveries.idle()
    },
  }
}
