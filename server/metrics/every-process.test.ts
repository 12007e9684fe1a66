import { spawnSync } from 'node:child_process'
import { get } from 'node:http'
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

/** Uses a new connection each time: connections are handed out in turn, so every process gets some. */
const read = (path: string) =>
  new Promise<string>((done, failed) => {
    get(shop.url + path, { agent: false }, (response) => done(text(response))).on('error', failed)
  })
const countProcesses = async () => /^shop_processes (\d+)$/m.exec(await read('/metrics'))?.[1]
const productRequests = /^shop_http_request_seconds_count\{method="GET",route="\/api\/products",status="200"\} (\d+)$/m
const countRequests = async () => productRequests.exec(await read('/metrics'))?.[1]

function childPids() {
  const { stdout } = spawnSync('ps', ['-A', '-o', 'ppid=,pid='], { encoding: 'utf8' })
  const lines = stdout.split('\n').map((line) => line.trim().split(/\s+/).map(Number))
  return lines.filter(([parent]) => parent === shop.pid).map(([, pid = 0]) => pid)
}

test('any process reports what all of them have counted, and counts outlive the process', async () => {
  await expect.poll(countProcesses).toBe('2')
  for (let n = 0; n < 20; n++) await read('/api/products')
  for (let n = 0; n < 4; n++) expect(await countRequests()).toBe('20')

  const [victim = 0] = childPids()
  process.kill(victim, 'SIGKILL')
  await expect.poll(() => childPids().includes(victim)).toBe(false)
  await expect.poll(countProcesses).toBe('2')
  for (let n = 0; n < 4; n++) expect(await countRequests()).toBe('20')
})
