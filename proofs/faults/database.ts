import { setTimeout as sleep } from 'node:timers/promises'
import { type Answer, ask } from '../lab/ask.ts'
import { keepDoing } from '../lab/concurrently.ts'
import { createTally } from '../lab/tally.ts'
import { timed } from '../lab/timed.ts'
import { childrenOf } from '../lab/usage.ts'
import { createWrites, untilWritten } from '../lab/writes.ts'
import type { Row } from './row.ts'

export const databaseRestarts: Row = {
  name: 'PostgreSQL restarted under load',
  alone: true,
  async run({ shop, lab, limits: { databaseRestarts: limit } }) {
    const [answers, pages] = [createTally<Answer>(), createTally<Answer>()]
    const writes = createWrites()
    const visitors = keepDoing(8, (visitor) => async (turn) => {
      answers.add(await writes.write(shop, `${visitor}-${turn}`))
      pages.add(await ask(shop, { path: '/' }))
    })
    let [restarts, slowest] = [0, 0]
    for (; restarts < limit.restarts; restarts++) {
      await sleep(400)
      await lab.postgres.restart()
      const started = performance.now()
      while (!(await shop.isReady())) await sleep(10)
      slowest = Math.max(slowest, performance.now() - started)
    }
    await visitors.stop()
    const lost = await writes.countLost(shop.databaseUrl)
    const isAlive = shop.isAlive()
    return {
      ok: lost === 0 && pages.only(200) && answers.only(200, 503) && slowest < limit.readyWithinMs && isAlive,
      figures: `${restarts} restarts: ${writes.acknowledged.length} writes acknowledged, ${lost} lost, ready again within ${slowest.toFixed(0)} ms, responses ${answers.show()}, pages ${pages.show()}, its process ${isAlive ? 'is alive' : 'is gone'}`,
    }
  },
}

export const databaseFrozen: Row = {
  name: 'PostgreSQL frozen',
  alone: true,
  async run({ shop, lab, limits: { databaseFrozen: limit } }) {
    const postmaster = lab.postgres.postmaster()
    const frozen = [postmaster, ...childrenOf(postmaster)]
    const writes = createWrites()
    for (const pid of frozen) process.kill(pid, 'SIGSTOP')
    const [answer, took] = await timed(() => writes.write(shop, 'frozen'))
    const [page, pageTook] = await timed(() => ask(shop, { path: '/' }))
    for (const pid of frozen) process.kill(pid, 'SIGCONT')
    const [thawed, thawedTook] = await timed(() => untilWritten(() => writes.write(shop, 'thawed')))
    return {
      ok: answer === 503 && took < limit.answerWithinMs && page === 200 && thawed === 200,
      figures: `answered ${answer} after ${(took / 1000).toFixed(1)} s, a page ${page} after ${pageTook.toFixed(0)} ms; after thawing, ${thawed} after ${(thawedTook / 1000).toFixed(1)} s`,
    }
  },
}
