import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openBrowser } from '#scripts/find-browser.ts'
import { cookieHeader } from '#server/testing/visitor.ts'
import { letGuestsBuy, openBuyers } from './bench/checkouts.ts'
import { measure, median } from './bench/compare.ts'
import { workBeside } from './bench/page-load.ts'
import { type LabShop, openLab, query } from './lab/lab.ts'
import { get } from './lab/load.ts'
import { cpuMicros, memoryOf, untilQuiet } from './lab/measures.ts'
import { openProcess } from './lab/shop-process.ts'

/**
 * `npm run proof -- beside ../earlier`: this build beside another one, which is checked out, installed and built in that
 * folder, in alternating rounds: what a machine does meanwhile is then the same for both. CPU is the server process's; with
 * `8 pages` after the folder it is the browser's main thread's, in eight rounds.
 */
const [other = '', count = '3', part = 'server'] = process.argv.slice(2)
const rounds = Number(count)
if (!existsSync(join(other, 'package.json'))) throw new Error('Name the folder that holds the other build')

const lab = await openLab()
const folders: string[] = []

async function open(folder: string) {
  const databaseUrl = await lab.createDatabase({ empty: true })
  const dataDir = mkdtempSync(join(tmpdir(), 'shop-beside-'))
  folders.push(dataDir)
  const env = { DATA_DIR: dataDir, DATABASE_URL: databaseUrl }
  const entries = ['proofs/lab/shop-entry.ts', 'scripts/lab/shop-entry.ts', 'scripts/faults/shop.ts']
  const entry = entries.find((path) => existsSync(join(folder, path)))
  // The first start migrates, renders and compiles; the shop that is measured finds all of it done.
  const shop = await openProcess(env, { folder, entry: 'scripts/start.ts' })
  await untilQuiet(shop.pid())
  return {
    ...shop,
    dataDir,
    databaseUrl,
    entry,
    query: (text, values) => query(databaseUrl, text, values),
    close: async () => void (await shop.stop()),
  } as LabShop & { entry: string }
}

const shops = [await open(resolve(other)), await open(process.cwd())] as const
const figures = new Map<string, [number[], number[]]>()

function note(what: string, index: 0 | 1, figure: number) {
  const found = figures.get(what) ?? [[], []]
  figures.set(what, found)
  found[index].push(figure)
}

async function inTurn(what: string, of: (shop: (typeof shops)[number], index: 0 | 1) => Promise<number>) {
  for (const index of [0, 1] as const) note(what, index, await of(shops[index], index))
}

async function start(shop: (typeof shops)[number], entry?: string) {
  await shop.stop()
  const before = performance.now()
  await shop.startAgain(entry)
  return performance.now() - before
}

async function buy(shop: LabShop) {
  await untilQuiet(shop.pid())
  const before = cpuMicros(shop.pid())
  const { intents } = await letGuestsBuy(shop, 4, (turn) => turn < 15)
  await untilQuiet(shop.pid())
  return (cpuMicros(shop.pid()) - before) / 1000 / intents.length
}

async function pages() {
  const browser = await openBrowser('--disable-gpu')
  try {
    await workBeside(browser, [shops[0].url, shops[1].url], rounds + 1, note)
  } finally {
    await browser.close()
  }
}

async function server() {
  for (let round = 0; round < rounds + 1; round++) {
    // How long a start takes depends on who else is at work; its CPU hardly does.
    await inTurn('cold start, ms (the least counts)', (shop) => start(shop))
    await inTurn('cold start, ms of CPU', async (shop) => cpuMicros(shop.pid()) / 1000)
  }
  await sleep(3000)
  await inTurn('memory, idle, MB', async (shop) => memoryOf(shop.pid()))

  for (const shop of shops) await start(shop, shop.entry)
  const cookies = [[], []] as [string[], string[]]
  for (const index of [0, 1] as const) {
    cookies[index] = (await openBuyers(shops[index], 64)).map(cookieHeader)
    await untilQuiet(shops[index].pid())
  }
  for (const path of ['/api/user', '/api/purchases'])
    for (let round = 0; round < rounds + 1; round++)
      await inTurn(`GET ${path}, µs of CPU`, async ({ pid, port }, index) => {
        const request = cookies[index].map((cookie) => get(path, cookie))
        return (await measure({ pid: pid(), port, request }, round === 0 ? 5 : 2)).cpuMicros
      })
  for (let round = 0; round < rounds + 1; round++) await inTurn('checkout, ms of CPU', (shop) => buy(shop))
  await inTurn('memory after all of this, MB', async (shop) => memoryOf(shop.pid()))
}

try {
  await (part === 'pages' ? pages() : server())
} finally {
  for (const shop of shops) await shop.close()
  await lab.close()
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
}

/** The first round warms up, except where the least counts. */
const middle = (all: number[]) => median(all.length > 1 ? all.slice(1) : all)
for (const [what, [old, ours]] of figures) {
  const pick = what.includes('least') ? (all: number[]) => Math.min(...all) : middle
  const [theirs, here] = [pick(old), pick(ours)]
  console.log(`${what}: ${theirs.toFixed(1)} there, ${here.toFixed(1)} here, ${(here / theirs).toFixed(2)} x`)
}
