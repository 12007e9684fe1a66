import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freePort } from '../database/free-port.ts'
import { startShopProcess } from '../testing/shop-process.ts'
import { createTestDatabase } from '../testing/test-database.ts'

let database: Awaited<ReturnType<typeof createTestDatabase>>
let shop: Awaited<ReturnType<typeof startShopProcess>>
beforeAll(async () => {
  database = await createTestDatabase()
  const env = { DATABASE_URL: database.url, PORT: String(await freePort()), WEB_CONCURRENCY: '2' }
  shop = await startShopProcess(env)
})
afterAll(async () => {
  await shop.stop()
  await database.drop()
})

/** Uses a new connection each time, and the system picks the process that accepts it. */
async function read(path: string) {
  const [response] = (await once(get(shop.url + path, { agent: false }), 'response')) as [IncomingMessage]
  return { answeredBy: String(response.headers['answered-by']), body: await text(response) }
}

/** Reads until both processes have answered, and returns every answer. */
async function readFromBoth(path: string) {
  const answers = [await read(path)]
  while (new Set(answers.map(({ answeredBy }) => answeredBy)).size < 2) answers.push(await read(path))
  return answers
}

const countProcesses = async () => /^shop_processes (\d+)$/m.exec((await read('/metrics')).body)?.[1]
const productRequests = /^shop_http_request_seconds_count\{method="GET",route="\/api\/products",status="200"\} (\d+)$/m
const countsOfProductRequests = async () =>
  new Set((await readFromBoth('/metrics')).map(({ body }) => Number(productRequests.exec(body)?.[1])))

function childPids() {
  const { stdout } = spawnSync('ps', ['-A', '-o', 'ppid=,pid='], { encoding: 'utf8' })
  const lines = stdout.split('\n').map((line) => line.trim().split(/\s+/).map(Number))
  return lines.filter(([parent]) => parent === shop.pid).map(([, pid = 0]) => pid)
}

test('any process reports what all of them have counted, and counts outlive the process', async () => {
  await expect.poll(countProcesses).toBe('2')
  const { length } = await readFromBoth('/api/products')
  expect(await countsOfProductRequests()).toEqual(new Set([length]))

  const [victim = 0] = childPids()
  process.kill(victim, 'SIGKILL')
  await expect.poll(() => childPids().includes(victim)).toBe(false)
  await expect.poll(countProcesses).toBe('2')
  expect(await countsOfProductRequests()).toEqual(new Set([length]))
})
