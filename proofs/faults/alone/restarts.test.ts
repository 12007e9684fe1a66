import { setTimeout as sleep } from 'node:timers/promises'
import { type Answer, ask, createWrites, ownConnection } from '../../lab/ask.ts'
import { concurrently, repeatConcurrently } from '../../lab/load.ts'
import { createTally } from '../../lab/measures.ts'
import { openProcess } from '../../lab/shop-process.ts'
import { details, fault, sized } from '../fault.ts'

const limit = sized({ stops: 5, rounds: 3 }, { stops: 1 })

/** Half of the visitors keep their connection, and half of each group write. */
fault('stopped under load', async ({ shop }) => {
  const [answers, exitCodes] = [createTally<Answer>(), createTally<number | 'none'>()]
  const writes = createWrites()
  const reasons: string[] = []
  let refusedBefore = 0
  for (let stop = 0; stop < limit.stops; stop++) {
    let isStopping = false
    const visitors = concurrently(16, async (visitor) => {
      const keepsConnection = visitor % 2 === 0
      const isWriter = visitor % 4 >= 2
      const onCutOff = (reason: string) => reasons.push(reason)
      const options = keepsConnection ? { onCutOff, agent: ownConnection() } : { onCutOff }
      for (let turn = 0; ; turn++) {
        const path = turn % 2 === 0 ? '/' : '/api/products'
        const answer = isWriter
          ? await writes.write(shop, `${stop}-${visitor}-${turn}`, options)
          : await ask(shop, { path }, options)
        // Only a shop that is stopping may refuse new connections.
        if (answer !== 'refused') answers.add(answer)
        else if (isStopping) return
        else refusedBefore += 1
      }
    })
    await sleep(500)
    isStopping = true
    exitCodes.add((await shop.stop('SIGTERM')) ?? 'none')
    await visitors
    if (stop < limit.stops - 1) await shop.startAgain()
  }
  const lost = await writes.countLost(shop.databaseUrl)
  return {
    ok: answers.only(200) && refusedBefore === 0 && exitCodes.only(0) && lost === 0,
    figures: `responses ${answers.show()}, ${refusedBefore} refused before the stop, ${lost} acknowledged writes lost, exit codes ${exitCodes.show()}${details(reasons)}`,
  }
})

/** Two processes on one database. Like a reverse proxy, visitors try the other process if one refuses the connection. */
fault(
  'rolling restarts under load',
  async ({ shop }) => {
    const second = await openProcess({ DATA_DIR: shop.dataDir, DATABASE_URL: shop.databaseUrl })
    const answers = createTally<Answer>()
    const writes = createWrites()
    const reasons: string[] = []
    const visitors = repeatConcurrently(8, (visitor) => {
      const options = { agent: ownConnection(), onCutOff: (reason: string) => reasons.push(reason) }
      return async (turn) => {
        const upstreams = turn % 2 === 0 ? [shop, second] : [second, shop]
        const isRead = turn % 4 < 2
        const answer = await sendToFirstListening(upstreams, (upstream) => {
          if (isRead) return ask(upstream, { path: '/api/products' }, options)
          return writes.write(upstream, `${visitor}-${turn}`, options)
        })
        answers.add(answer)
      }
    })
    let restarts = 0
    for (let round = 0; round < limit.rounds; round++)
      for (const upstream of [shop, second]) {
        await sleep(300)
        await upstream.stop('SIGTERM')
        await upstream.startAgain()
        restarts += 1
      }
    await visitors.stop()
    await second.stop()
    const lost = await writes.countLost(shop.databaseUrl)
    return {
      ok: answers.only(200) && lost === 0,
      figures: `${restarts} restarts: responses ${answers.show()}, ${lost} acknowledged writes lost${details(reasons)}`,
    }
  },
  { isInQuickRun: false },
)

async function sendToFirstListening<Upstream>(
  upstreams: Upstream[],
  send: (upstream: Upstream) => Promise<Answer>,
): Promise<Answer> {
  for (const upstream of upstreams) {
    const answer = await send(upstream)
    if (answer !== 'refused') return answer
  }
  return 'refused'
}
