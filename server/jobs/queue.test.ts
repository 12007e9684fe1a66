import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { pino } from 'pino'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Connection, connect } from '../database/connect.ts'
import { lockMigrations } from '../database/migrate.ts'
import { PermanentFailure } from '../errors.ts'
import { createTestDatabase } from '../testing/test-database.ts'
import { createQueue, type Queue } from './queue.ts'

let database: Awaited<ReturnType<typeof createTestDatabase>>
let connection: Connection
const openQueues: Queue[] = []

beforeEach(async () => {
  database = await createTestDatabase()
  connection = connect(database.url, () => {})
})
afterEach(async () => {
  await Promise.all(openQueues.splice(0).map((queue) => queue.stop()))
  await connection.close()
  await database.drop()
})

function newQueue() {
  const queue = createQueue({ url: database.url, log: pino({ level: process.env.TEST_LOG ?? 'silent' }) })
  openQueues.push(queue)
  return queue
}

const listFailed = async (queue: Queue) => (await queue.failed.list({ limit: 100 })).items

test('a job is stored with the change that asks for it, or not at all', async () => {
  const queue = newQueue()
  const done: string[] = []
  const enqueue = queue.defineJob<{ what: string }>('note', async ({ what }) => {
    done.push(what)
  })
  await queue.start()
  await connection.db.transaction((tx) => enqueue(tx, { what: 'committed' }))
  await expect(
    connection.db.transaction(async (tx) => {
      await enqueue(tx, { what: 'rolled back' })
      throw new Error('no')
    }),
  ).rejects.toThrow('no')
  await queue.waitUntilIdle()
  expect(done).toEqual(['committed'])
})

test('two processes run many jobs, each exactly once', async () => {
  const done: number[] = []
  const [firstProcess, secondProcess] = [newQueue(), newQueue()]
  const [enqueue] = [firstProcess, secondProcess].map((queue) =>
    queue.defineJob<{ n: number }>(
      'count',
      async ({ n }) => {
        done.push(n)
      },
      { workers: 2 },
    ),
  )
  await Promise.all([firstProcess.start(), secondProcess.start()])
  const numbers = Array.from({ length: 200 }, (_, n) => n)
  await connection.db.transaction(async (tx) => {
    for (const n of numbers) await enqueue?.(tx, { n })
  })
  await firstProcess.waitUntilIdle()
  expect(done.toSorted((a, b) => a - b)).toEqual(numbers)
})

test('a job that fails is retried', async () => {
  const queue = newQueue()
  let tries = 0
  const enqueue = queue.defineJob('flaky', async () => {
    tries += 1
    if (tries < 3) throw new Error('not yet')
  })
  await queue.start()
  await enqueue(connection.db, {})
  await expect.poll(() => queue.waitUntilIdle().then(() => tries)).toBe(3)
  expect(await listFailed(queue)).toEqual([])
})

test('a job that can never succeed is tried once, listed, and rerun when an admin says so', async () => {
  const queue = newQueue()
  const jobIds: string[] = []
  const enqueue = queue.defineJob<{ to: string }>(
    'letter',
    async ({ to }, { id }) => {
      jobIds.push(id)
      if (jobIds.length === 1) throw new PermanentFailure(`${to} is unknown`)
    },
    { describe: ({ to }) => `to ${to}` },
  )
  await queue.start()
  await enqueue(connection.db, { to: 'nobody' })
  await queue.waitUntilIdle()
  const [failed] = await listFailed(queue)
  expect(failed).toMatchObject({ name: 'letter', about: 'to nobody', error: 'nobody is unknown', tries: 1 })

  const id = failed?.id ?? ''
  await connection.db.transaction((tx) => queue.failed.retry(tx, id))
  await queue.waitUntilIdle()
  expect(jobIds).toEqual([id, id])
  expect(await listFailed(queue)).toEqual([])
  expect(await queue.failed.retry(connection.db, id)).toBe(false)
})

test('failed jobs come in pages and can be searched and dismissed', async () => {
  const queue = newQueue()
  const enqueue = queue.defineJob<{ n: number }>('hopeless', async ({ n }) => {
    throw new PermanentFailure(`number ${n}`)
  })
  await queue.start()
  for (let n = 0; n < 5; n++) await enqueue(connection.db, { n })
  await queue.waitUntilIdle()
  const firstPage = await queue.failed.list({ limit: 3 })
  const secondPage = await queue.failed.list({ limit: 3, cursor: firstPage.next })
  expect([firstPage.items.length, secondPage.items.length, secondPage.next]).toEqual([3, 2, undefined])
  expect(new Set([...firstPage.items, ...secondPage.items].map(({ error }) => error)).size).toBe(5)
  const { items } = await queue.failed.list({ limit: 100, q: '"n": 4' })
  expect(items.map(({ error }) => error)).toEqual(['number 4'])
  expect(await queue.failed.discard(connection.db, items[0]?.id ?? '')).toBe(true)
  expect(await queue.failed.count()).toBe(4)
})

test('a schedule runs in one process at a time, and a failure is forgotten once it succeeds', async () => {
  let running = 0
  let mostAtOnce = 0
  let runs = 0
  const work = async () => {
    running += 1
    mostAtOnce = Math.max(mostAtOnce, running)
    await new Promise((done) => setTimeout(done, 100))
    running -= 1
    runs += 1
    if (runs === 1) throw new PermanentFailure('first time')
  }
  const [firstProcess, secondProcess] = [newQueue(), newQueue()]
  for (const queue of [firstProcess, secondProcess]) queue.schedule('sweep', '0 0 1 1 *', work)
  await Promise.all([firstProcess.start(), secondProcess.start()])

  await Promise.all(Array.from({ length: 5 }, () => firstProcess.trigger('sweep')))
  await firstProcess.waitUntilIdle()
  expect(await listFailed(firstProcess)).toMatchObject([{ name: 'sweep', error: 'first time' }])
  await firstProcess.trigger('sweep')
  await firstProcess.waitUntilIdle()
  expect(await listFailed(firstProcess)).toEqual([])
  expect(mostAtOnce).toBe(1)
  expect(runs).toBe(2)
})

test('a queue from an older release is brought up to date, and a removed schedule is dropped', async () => {
  const formerRelease = newQueue()
  formerRelease.schedule('kept', '0 1 * * *', async () => {})
  formerRelease.schedule('gone', '0 2 * * *', async () => {})
  await formerRelease.start()
  await formerRelease.stop()
  await connection.pool.query(`update jobs.queue set retry_limit = 99 where name = 'kept'`)
  const current = newQueue()
  current.schedule('kept', '0 3 * * *', async () => {})
  await current.start()
  const { rows } = await connection.pool.query('select name, cron from jobs.schedule')
  expect(rows).toEqual([{ name: 'kept', cron: '0 3 * * *' }])
  const queues = await connection.pool.query(`select retry_limit from jobs.queue where name = 'kept'`)
  expect(queues.rows).toEqual([{ retry_limit: 3 }])
})

test('jobs continue in the same process after PostgreSQL has closed every connection', async () => {
  const queue = newQueue()
  const done: number[] = []
  const enqueue = queue.defineJob<{ n: number }>('count', async ({ n }) => {
    done.push(n)
  })
  await queue.start()
  const admin = new pg.Client({ connectionString: database.url })
  await admin.connect()
  await admin.query(
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  )
  await admin.end()
  const canEnqueue = () =>
    enqueue(connection.db, { n: 1 }).then(
      () => true,
      () => false,
    )
  await expect.poll(canEnqueue).toBe(true)
  await expect.poll(() => done).toEqual([1])
})

test('a process that starts waits for another that is creating the tables', async () => {
  await connection.pool.query('drop schema jobs cascade')
  const otherProcess = new pg.Client({ connectionString: database.url })
  await otherProcess.connect()
  await lockMigrations(otherProcess)
  const { rows: otherRows } = await otherProcess.query<{ pid: number }>('select pg_backend_pid() as pid')
  const otherPid = otherRows[0]?.pid
  const starting = newQueue().start()
  const attemptTimes = new Set<string>()
  const countAttempts = async () => {
    const { rows } = await connection.pool.query<{ at: string }>(
      `select query_start::text as at from pg_stat_activity
       where datname = current_database() and pid <> $1 and query like 'select pg_try_advisory_lock%'`,
      [otherPid],
    )
    for (const { at } of rows) attemptTimes.add(at)
    return attemptTimes.size
  }
  await expect.poll(countAttempts).toBeGreaterThan(1)
  expect((await connection.pool.query(`select where to_regclass('jobs.job') is not null`)).rowCount).toBe(0)
  await otherProcess.end()
  await starting
})

test('two farewells to one address at the same moment don’t wait for each other', async () => {
  const queues = [newQueue(), newQueue()]
  const begun: string[] = []
  const done: string[] = []
  const [enqueue] = queues.map((queue) =>
    queue.defineJob<{ to: string }>('farewell', async ({ to }, { id }) => {
      begun.push(id)
      while (begun.length < 2) await sleep(10)
      while ((await queue.forget(to, id)) > 0) await sleep(10)
      done.push(id)
    }),
  )
  await Promise.all(queues.map((queue) => queue.start()))
  await enqueue?.(connection.db, { to: 'left@example.com' })
  await enqueue?.(connection.db, { to: 'left@example.com' })
  await expect.poll(() => done.length).toBe(2)
})

/** Each job runs until the test ends it. */
async function startPeopleJobs(...queues: Queue[]) {
  const begun: string[] = []
  const running = new Map<string, () => void>()
  const [enqueue] = queues.map((queue) =>
    queue.defineJob<{ who: string }>(
      'about',
      async ({ who }) => {
        if (running.has(who)) throw new Error(`${who} runs twice at once`)
        begun.push(who)
        await new Promise<void>((done) => running.set(who, done))
        running.delete(who)
      },
      { workers: 2, oneFor: ({ who }) => who },
    ),
  )
  await Promise.all(queues.map((queue) => queue.start()))
  if (!enqueue) throw new Error('There is no queue')
  const end = async (who: string) => {
    await expect.poll(() => running.has(who)).toBe(true)
    running.get(who)?.()
    await expect.poll(() => running.has(who)).toBe(false)
  }
  return { enqueue, begun, end }
}

const listStoredJobs = async () => {
  const { rows } = await connection.pool.query<{ name: string; state: string; count: number }>(
    `select name, state, count(*)::int from jobs.job where name in ('about', 'old-about') group by 1, 2 order by 1, 2`,
  )
  return rows.map(({ name, state, count }) => `${name} ${state} ${count}`)
}

test('at most one job per person waits and one runs, and a job queued during a run is done once more', async () => {
  const { enqueue, begun, end } = await startPeopleJobs(newQueue(), newQueue())
  await enqueue(connection.db, { who: 'ada' })
  await expect.poll(() => begun).toEqual(['ada'])
  await Promise.all(Array.from({ length: 20 }, () => enqueue(connection.db, { who: 'ada' })))
  expect(await listStoredJobs()).toEqual(['about created 1', 'about active 1'])
  // Jobs of other people don't wait for Ada's.
  await enqueue(connection.db, { who: 'ben' })
  await end('ben')
  await end('ada')
  await end('ada')
  await expect.poll(listStoredJobs).toEqual(['about completed 3'])
  expect(begun).toEqual(['ada', 'ben', 'ada'])
})

test('a waiting job that a change queues again does not begin before the change is committed', async () => {
  const { enqueue, begun, end } = await startPeopleJobs(newQueue())
  for (const who of ['one', 'two', 'ada', 'ben']) await enqueue(connection.db, { who })
  await expect.poll(() => begun.length).toBe(2)
  await connection.db.transaction(async (tx) => {
    await enqueue(tx, { who: 'ada' })
    await end('one')
    await end('ben')
    expect(begun).not.toContain('ada')
  })
  await end('ada')
  await end('two')
  await expect.poll(listStoredJobs).toEqual(['about completed 4'])
})

test('jobs with a higher priority run first, even if the priority was raised while they waited', async () => {
  const { enqueue, begun, end } = await startPeopleJobs(newQueue())
  for (const who of ['one', 'two', 'three', 'four', 'five']) await enqueue(connection.db, { who })
  await expect.poll(() => begun.toSorted()).toEqual(['one', 'two'])
  await enqueue(connection.db, { who: 'five' }, { priority: 1 })
  // Queued again without a priority, the job keeps its raised one.
  await enqueue(connection.db, { who: 'five' })
  for (const who of ['one', 'five', 'two', 'three', 'four']) await end(who)
  expect(begun[2]).toBe('five')
})

test('a failed job is dropped when the next job with the same key runs', async () => {
  const queue = newQueue()
  let tries = 0
  const enqueue = queue.defineJob<{ who: string }>(
    'about',
    async () => {
      tries += 1
      if (tries > 1) return
      await enqueue(connection.db, { who: 'ada' })
      throw new Error('not yet')
    },
    { oneFor: ({ who }) => who },
  )
  await queue.start()
  await enqueue(connection.db, { who: 'ada' })
  await expect.poll(listStoredJobs).toEqual(['about completed 1'])
  expect(tries).toBe(2)
})

test('a stored queue cannot change its policy under the same name', async () => {
  const formerRelease = newQueue()
  formerRelease.defineJob<{ who: string }>('old-about', async () => {})
  await formerRelease.start()
  await formerRelease.stop()
  const nextRelease = newQueue()
  nextRelease.defineJob<{ who: string }>('old-about', async () => {}, { oneFor: ({ who }) => who })
  await expect(nextRelease.start()).rejects.toThrow('it needs a new name')
})

test('a schedule may have a longer lease than others', async () => {
  const queue = newQueue()
  queue.schedule('short', '0 0 1 1 *', async () => {})
  queue.schedule('long', '0 0 1 1 *', async () => {}, 7200)
  await queue.start()
  const { rows } = await connection.pool.query(
    `select name, expire_seconds from jobs.queue where name in ('short', 'long') order by name`,
  )
  expect(rows).toEqual([
    { name: 'long', expire_seconds: 7200 },
    { name: 'short', expire_seconds: 600 },
  ])
})
