import { cpus, totalmem } from 'node:os'
import { accounts } from '#contract/identity/accounts.ts'
import { cookieHeader, createVisitor, type Visitor } from '#server/testing/visitor.ts'
import { enableStatementCounts, measureAdminLists } from './bench/admin-lists.ts'
import { measureCheckouts, openBuyers } from './bench/checkouts.ts'
import { type Bench, compareWithBareServer, type Line, openBareServer, tableOf } from './bench/compare.ts'
import { measureCsvExport, measureLoginFlood } from './bench/meanwhile.ts'
import { compareTwoProcesses, measureColdStart, measureMemoryAfterLoad } from './bench/processes.ts'
import { fillShop, openLab, size } from './lab/lab.ts'
import { get } from './lab/load.ts'
import { waitUntilQuiet } from './lab/measures.ts'
import { seller } from './lab/shop-process.ts'

/** `npm run proof -- bench` compares the shop with a bare Node server that sends the same bytes. `--quick` takes under a minute. */
const isQuick = Boolean(process.env.QUICK)

const lab = await openLab()
const shop = await lab.openShop()
const lines: Line[] = []
const addLines = (newLines: Line[]) => {
  lines.push(...newLines)
  for (const { what, figure } of newLines) console.log(`${what}: ${figure}`)
}
await waitUntilQuiet(shop.pid())
const product = '/products/rebound-sigma-pro'
const bareServer = await openBareServer(shop.url)
const bareProductServer = await openBareServer(shop.url, { path: product })
try {
  const bench: Bench = { shop, bareServer, rounds: isQuick ? 1 : 3, seconds: isQuick ? 0.2 : 3 }
  addLines(await compareWithBareServer(bench, 'home', get('/'), 1.5))
  const productBench = { ...bench, bareServer: bareProductServer }
  addLines(await compareWithBareServer(productBench, 'product page', get(product), 1.5))
  addLines(await compareWithBareServer(bench, 'GET /api/products', get('/api/products')))
  // Each connection has its own buyer, because simultaneous requests come from different people.
  const buyers = await openBuyers(shop, isQuick ? 8 : 64)
  await waitUntilQuiet(shop.pid())
  // Each call sends as many statements as `statements.test.ts` counts.
  await compareAsBuyers(bench, { path: '/api/user', statements: 1, budget: 5 }, buyers)
  await compareAsBuyers(bench, { path: '/api/purchases', statements: 2, budget: 5 }, buyers)
  addLines(await measureLoginFlood(bench))
  addLines(await measureCheckouts(bench))
  addLines(measureMemoryAfterLoad(shop))

  addLines(await measureColdStart(shop, bench.rounds))
  addLines(await compareTwoProcesses(shop, bench))
  await measureFilledShop(bench)
} finally {
  bareServer.close()
  bareProductServer.close()
  await shop.close()
  await lab.close()
}

type BuyersCall = { path: string; statements: number; budget: number }

/** Compares a call of logged-in buyers with a bare server that asks PostgreSQL as often. */
async function compareAsBuyers(bench: Bench, { path, statements, budget }: BuyersCall, buyers: Visitor[]) {
  const cookies = buyers.map(cookieHeader)
  const { databaseUrl } = bench.shop
  const readingServer = await openBareServer(bench.shop.url, { path, cookie: cookies[0], statements, databaseUrl })
  const requests = cookies.map((cookie) => get(path, cookie))
  const what = `GET ${path}, logged in`
  addLines(await compareWithBareServer({ ...bench, bareServer: readingServer }, what, requests, budget))
  readingServer.close()
}

/** Opens another shop, because the demo fills only an empty one. `--quick` measures the first shop instead. */
async function measureFilledShop(bench: Bench) {
  const filledShop = isQuick ? shop : await lab.openShop()
  try {
    await enableStatementCounts(lab, filledShop)
    if (!isQuick) fillShop(filledShop)
    const admin = createVisitor(filledShop.url)
    await admin.call(accounts.login, seller)
    const cookie = cookieHeader(admin)
    const filledBench = { ...bench, shop: filledShop }
    addLines(await measureAdminLists(filledBench, cookie))
    addLines(await compareWithBareServer(filledBench, 'admin list', get('/api/admin/purchases', cookie)))
    addLines(await compareWithBareServer(filledBench, 'admin search', get('/api/admin/purchases?q=anna', cookie)))
    addLines(await measureCsvExport(filledBench, cookie))
  } finally {
    if (filledShop !== shop) await filledShop.close()
  }
}

const machine = `${cpus().length} cores of ${cpus()[0]?.model ?? 'unknown'}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}`
console.log(
  `\n${machine}; ${isQuick ? 'a small shop' : `${size.users} users, ${size.purchases} purchases`}\n\n${tableOf(lines)}\n`,
)
// The short rounds of --quick show that everything still runs, not that budgets are met.
process.exit(!isQuick && lines.some(({ ok }) => ok === false) ? 1 : 0)
