import { cpus, totalmem } from 'node:os'
import { accounts } from '#contract/identity/accounts.ts'
import freshBuild from '#scripts/fresh-build.ts'
import { cookieHeader, createVisitor } from '#server/testing/visitor.ts'
import { adminLists, countStatements } from './bench/admin-lists.ts'
import { checkouts, openBuyers } from './bench/checkouts.ts'
import { type Bench, compareWithBaseline, type Line, openLimit, tableOf } from './bench/compare.ts'
import { csvExport, loginFlood } from './bench/meanwhile.ts'
import { coldStart, memoryAfterLoad, twoProcesses } from './bench/processes.ts'
import { fillShop, openLab, size } from './lab/lab.ts'
import { get } from './lab/load.ts'
import { untilQuiet } from './lab/measures.ts'
import { seller } from './lab/shop-process.ts'

/** `npm run proof -- bench`: the shop compared with the limit of the machine, in one table. `--quick` uses a small shop, in under a minute. */
const quick = Boolean(process.env.QUICK)

freshBuild()
const lab = await openLab()
const shop = await lab.openShop()
const lines: Line[] = []
const add = (measured: Line[]) => {
  lines.push(...measured)
  for (const { what, figure } of measured) console.log(`${what}: ${figure}`)
}
await untilQuiet(shop.pid())
const product = '/products/rebound-sigma-pro'
const [limit, productLimit] = [await openLimit(shop.url), await openLimit(shop.url, product)]
try {
  const bench: Bench = { shop, limit, rounds: quick ? 1 : 3, seconds: quick ? 0.2 : 3 }
  add(await compareWithBaseline(bench, 'home', get('/'), { cpu: 1.5 }))
  add(await compareWithBaseline({ ...bench, limit: productLimit }, 'product page', get(product), { cpu: 1.5 }))
  add(await compareWithBaseline(bench, 'GET /api/products', get('/api/products')))
  // A buyer per connection: simultaneous requests come from different people.
  const buyers = await openBuyers(shop, quick ? 8 : 64)
  await untilQuiet(shop.pid())
  const asBuyers = (path: string) => buyers.map((buyer) => get(path, cookieHeader(buyer)))
  add(await compareWithBaseline(bench, 'GET /api/user, logged in', asBuyers('/api/user'), { cpu: 6 }))
  add(await compareWithBaseline(bench, 'GET /api/purchases, logged in', asBuyers('/api/purchases'), { cpu: 10 }))
  add(await loginFlood(bench))
  add(await checkouts(bench))
  add(memoryAfterLoad(shop))

  add(await coldStart(shop, bench.rounds))
  add(await twoProcesses(shop, bench))
  await inFilledShop(bench)
} finally {
  for (const { close } of [limit, productLimit]) close()
  await shop.close()
  await lab.close()
}

/** The demo fills only an empty shop. */
async function inFilledShop(bench: Bench) {
  const filled = await lab.openShop()
  try {
    await countStatements(lab, filled)
    fillShop(filled)
    const admin = createVisitor(filled.url)
    await admin.call(accounts.login, seller)
    const cookie = cookieHeader(admin)
    const inside = { ...bench, shop: filled }
    add(await adminLists(inside, cookie))
    if (!quick) {
      add(await compareWithBaseline(inside, 'admin list', get('/api/admin/purchases', cookie)))
      add(await compareWithBaseline(inside, 'admin search', get('/api/admin/purchases?q=anna', cookie)))
    }
    add(await csvExport(inside, cookie))
  } finally {
    await filled.close()
  }
}

const machine = `${cpus().length} cores of ${cpus()[0]?.model ?? 'unknown'}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}`
console.log(`\n${machine}; ${size.users} users, ${size.purchases} purchases\n\n${tableOf(lines)}\n`)
// The short rounds of --quick show that everything still runs, not that budgets are met.
process.exit(!quick && lines.some(({ ok }) => ok === false) ? 1 : 0)
