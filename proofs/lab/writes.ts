import { setTimeout as sleep } from 'node:timers/promises'
import { type Answer, ask } from './ask.ts'
import { planted } from './leaks.ts'
import { query } from './query.ts'

/** A write: a newsletter address, which must be in the database once acknowledged. */
const subscription = (email: string, headers: Record<string, string>) => ({
  method: 'POST',
  path: '/api/newsletter/subscribe',
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify({ email }),
})

/** Remembers what was acknowledged, and finally counts how much of it is missing from the database. */
export function createWrites(headers: () => Record<string, string> = () => ({})) {
  const acknowledged: string[] = []
  return {
    acknowledged,
    async write(shop: { port: number }, name: string, options?: Parameters<typeof ask>[2]): Promise<Answer> {
      const email = `reader-${name}@${planted.domain}`
      const answer = await ask(shop, subscription(email, headers()), options)
      if (answer === 200) acknowledged.push(email)
      return answer
    },
    async countLost(databaseUrl: string): Promise<number> {
      const [found] = await query<{ count: number }>(
        databaseUrl,
        'select count(*)::int as count from newsletter_subscriptions where email = any($1)',
        [acknowledged],
      )
      return acknowledged.length - (found?.count ?? 0)
    },
  }
}

/** Retries for half a minute; the last response counts. */
export async function untilWritten(write: () => Promise<Answer>): Promise<Answer> {
  const until = performance.now() + 30_000
  for (;;) {
    const answer = await write()
    if (answer === 200 || performance.now() > until) return answer
    await sleep(50)
  }
}
