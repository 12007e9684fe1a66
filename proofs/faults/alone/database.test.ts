import { spawnSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Answer, ask, createWrites, retryUntilWritten } from '../../lab/ask.ts'
import { query } from '../../lab/lab.ts'
import { repeatConcurrently } from '../../lab/load.ts'
import { childrenOf, createTally, timed } from '../../lab/measures.ts'
import { openProcess } from '../../lab/shop-process.ts'
import { fault, sized } from '../fault.ts'

const limit = sized(
  { restarts: 20, readyWithinMs: 1000, answerWithinMs: 5000, visits: 20 },
  { restarts: 1, readyWithinMs: 15_000, answerWithinMs: 15_000, visits: 8 },
)

fault('PostgreSQL restarted under load', async ({ shop, lab }) => {
  const [answers, pages] = [createTally<Answer>(), createTally<Answer>()]
  const writes = createWrites()
  const visitors = repeatConcurrently(8, (visitor) => async (turn) => {
    answers.add(await writes.write(shop, `${visitor}-${turn}`))
    pages.add(await ask(shop, { path: '/' }))
  })
  let slowestMs = 0
  for (let restart = 0; restart < limit.restarts; restart++) {
    await sleep(400)
    await lab.restart()
    const restartedAt = performance.now()
    while (!(await shop.isReady())) await sleep(10)
    slowestMs = Math.max(slowestMs, performance.now() - restartedAt)
  }
  await visitors.stop()
  const lost = await writes.countLost(shop.databaseUrl)
  const isAlive = shop.isAlive()
  return {
    ok: lost === 0 && pages.only(200) && answers.only(200, 503) && slowestMs < limit.readyWithinMs && isAlive,
    figures: `${limit.restarts} restarts: ${writes.acknowledged.length} writes acknowledged, ${lost} lost, ready again within ${slowestMs.toFixed(0)} ms, responses ${answers.show()}, pages ${pages.show()}, its process ${isAlive ? 'is alive' : 'is gone'}`,
  }
})

fault('PostgreSQL frozen', async ({ shop, lab }) => {
  const postmaster = lab.postmaster()
  const postgresPids = [postmaster, ...childrenOf(postmaster)]
  const writes = createWrites()
  for (const pid of postgresPids) process.kill(pid, 'SIGSTOP')
  const [answer, answerMs] = await timed(() => writes.write(shop, 'frozen'))
  const [page, pageMs] = await timed(() => ask(shop, { path: '/' }))
  for (const pid of postgresPids) process.kill(pid, 'SIGCONT')
  const [answerAfterThaw, thawMs] = await timed(() => retryUntilWritten(() => writes.write(shop, 'thawed')))
  return {
    ok: answer === 503 && answerMs < limit.answerWithinMs && page === 200 && answerAfterThaw === 200,
    figures: `answered ${answer} after ${(answerMs / 1000).toFixed(1)} s, a page ${page} after ${pageMs.toFixed(0)} ms; after thawing, ${answerAfterThaw} after ${(thawMs / 1000).toFixed(1)} s`,
  }
})

/** A shop and its local PostgreSQL on a small disk that fills up while buyers write. */
fault('disk full', async () => {
  const disk = mkdtempSync(join(tmpdir(), 'shop-lab-disk-'))
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=200m', 'tmpfs', disk]).status === 0
  try {
    if (mounted) return await fillUp(disk, limit.visits)
    return { ok: true, skipped: true, figures: 'skipped: needs root to mount a small disk' }
  } finally {
    if (mounted) spawnSync('umount', ['--lazy', disk])
    rmSync(disk, { recursive: true, force: true })
  }
})

async function fillUp(disk: string, visits: number) {
  const shop = await openProcess({ DATA_DIR: disk })
  const [answers, pages] = [createTally<Answer>(), createTally<Answer>()]
  const writes = createWrites()
  let visitCount = 0
  async function visit() {
    for (let count = 0; count < visits; count++) {
      visitCount += 1
      answers.add(await writes.write(shop, String(visitCount)))
      pages.add(await ask(shop, { path: '/' }))
    }
  }
  try {
    await visit()
    writeUntilFull(join(disk, 'ballast'))
    const readyWhenFull = await ask(shop, { path: '/readyz' })
    await visit()
    // The worst case: PostgreSQL cannot write its log, exits, and cannot recover while the disk is full.
    const needsMoreLog = `update users set name = name; select pg_switch_wal(); update users set name = name`
    await query(databaseUrl(disk), needsMoreLog).catch(() => undefined)
    await visit()
    rmSync(join(disk, 'ballast'))
    const [answerWithSpace, recoveryMs] = await timed(() => retryUntilWritten(() => writes.write(shop, 'later')))
    const lost = await writes.countLost(databaseUrl(disk))
    const isAlive = shop.isAlive()
    return {
      ok:
        readyWhenFull === 503 &&
        answers.only(200, 503) &&
        answers.of(503) > 0 &&
        pages.only(200) &&
        lost === 0 &&
        answerWithSpace === 200 &&
        isAlive,
      figures: `/readyz ${readyWhenFull}, responses ${answers.show()}, pages ${pages.show()}, ${writes.acknowledged.length} writes acknowledged, ${lost} lost; with space freed, ${answerWithSpace} after ${(recoveryMs / 1000).toFixed(1)} s, its process ${isAlive ? 'is alive' : 'is gone'}`,
    }
  } finally {
    await shop.stop()
  }
}

/** Writes smaller and smaller pieces, down to one byte. */
function writeUntilFull(path: string) {
  const file = openSync(path, 'w')
  for (let size = 2 ** 20; size >= 1; size = Math.floor(size / 2)) {
    try {
      for (;;) writeSync(file, Buffer.alloc(size))
    } catch {
      // No space left for a piece of this size.
    }
  }
  closeSync(file)
}

function databaseUrl(disk: string) {
  const home = join(disk, 'postgres')
  // The fourth line of this file is the port.
  const port = readFileSync(join(home, 'data', 'postmaster.pid'), 'utf8').split('\n')[3]
  const password = readFileSync(join(home, 'password'), 'utf8').trim()
  return `postgres://shop:${password}@127.0.0.1:${port}/shop`
}
