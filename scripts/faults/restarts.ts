import { setTimeout as sleep } from 'node:timers/promises'
import { openProcess } from './process.ts'
import { format, type Row, subscribe } from './row.ts'

export const gracefulStop: Row = {
  name: 'stopped under load',
  alone: true,
  async run(victim, quick) {
    let [dropped, answered, codes] = [0, 0, new Set<number | null>()]
    for (let stop = 0; stop < (quick ? 1 : 5); stop++) {
      let stopping = false
      const visitor = async () => {
        for (;;) {
          const begun = stopping
          try {
            const response = await fetch(`${victim.url}/api/products`)
            await response.arrayBuffer()
            if (response.ok) answered += 1
            else dropped += 1
          } catch {
            // Refused after the stop was asked for is right; an accepted request that gets no answer is not.
            if (!begun && !stopping) dropped += 1
            return
          }
        }
      }
      const visitors = Array.from({ length: 16 }, visitor)
      await sleep(500)
      stopping = true
      codes.add(await victim.stop('SIGTERM'))
      await Promise.all(visitors)
      await victim.startAgain()
    }
    return {
      ok: dropped === 0 && codes.size === 1 && codes.has(0),
      figures: `${answered} answered, ${dropped} dropped, exit codes ${[...codes].join(', ')}`,
    }
  },
}

/** Two processes on one database behind what a reverse proxy does: where it cannot connect, or cannot read, it asks the other. */
export const rollingRestarts: Row = {
  name: 'rolling restarts under load',
  alone: true,
  async run(victim, quick) {
    const second = await openProcess({ DATA_DIR: victim.dataDir, DATABASE_URL: victim.databaseUrl })
    const shops = [victim, second]
    const statuses = new Map<number, number>()
    const dropped: string[] = []
    const acknowledged: string[] = []
    let running = true
    const visitor = async (name: number) => {
      for (let count = 0; running; count++) {
        const email = `r${name}-${count}@fault.example`
        try {
          const write = count % 2 === 0
          const response = await fromEither(shops, count, { mayRepeat: !write }, (shop) =>
            write ? subscribe(shop, email) : fetch(`${shop.url}/api/products`),
          )
          await response.arrayBuffer()
          statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1)
          if (write && response.status === 200) acknowledged.push(email)
        } catch (error) {
          dropped.push(String((error as Error).cause ?? error))
        }
      }
    }
    const visitors = Array.from({ length: 8 }, (_, name) => visitor(name))
    const rounds = quick ? 1 : 3
    for (let round = 0; round < rounds; round++)
      for (const shop of shops) {
        await sleep(300)
        await shop.stop('SIGTERM')
        await shop.startAgain()
      }
    running = false
    await Promise.all(visitors)
    await second.stop()
    const [{ n } = { n: 0 }] = await victim.query<{ n: number }>(
      'select count(*)::int as n from newsletter_subscriptions where email = any($1)',
      [acknowledged],
    )
    const lost = acknowledged.length - n
    // On a busy machine a connection may be at its end in the very moment in which it is used: a short run allows for that.
    const bearable = quick ? (statuses.get(200) ?? 0) / 100 : 0
    return {
      ok: dropped.length <= bearable && lost === 0 && [...statuses.keys()].every((status) => status === 200),
      figures: `${2 * rounds} restarts: answers ${format(statuses)}, ${dropped.length} dropped, ${lost} acknowledged writes lost${[...new Set(dropped)].map((reason) => `\n    ${reason}`).join('')}`,
    }
  },
}

async function fromEither<Shop>(
  shops: Shop[],
  turn: number,
  { mayRepeat }: { mayRepeat: boolean },
  ask: (shop: Shop) => Promise<Response>,
): Promise<Response> {
  for (let tries = 0; ; tries++) {
    const shop = shops[(turn + tries) % shops.length]
    if (!shop) throw new Error('There is no shop')
    try {
      return await ask(shop)
    } catch (error) {
      const { syscall } = ((error as Error).cause ?? {}) as { syscall?: string }
      if (!(mayRepeat || syscall === 'connect') || tries === shops.length) throw error
    }
  }
}
