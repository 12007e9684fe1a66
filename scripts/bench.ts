import { mkdirSync, writeFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import { accounts } from '#contract/accounts.ts'
import { createVisitor, type Visitor } from '#server/testing/visitor.ts'
import { adminLists, countStatements, csvExport } from './bench/admin.ts'
import { buyersAt, checkouts } from './bench/checkouts.ts'
import { fill, size } from './bench/filled.ts'
import { coldStart, loaded, twoProcesses } from './bench/processes.ts'
import { type Bench, get, loginFlood, openLimit, served } from './bench/requests.ts'
import { type Line, tableOf } from './bench/table.ts'
import { admin } from './faults/process.ts'
import { openPostgres } from './faults/victim.ts'
import freshWeb from './fresh-web.ts'

/** `npm run bench`: the shop beside the limit of the machine, as one table. `-- --quick` in under a minute, with a small shop. */
const quick = process.argv.includes('--quick')

await freshWeb()
const postgres = await openPostgres()
const shop = await postgres.openVictim()
const lines: Line[] = []
const add = (measured: Line[]) => {
  lines.push(...measured)
  for (const { what, figure } of measured) console.log(`${what}: ${figure}`)
}
await countStatements(shop)
const limit = await openLimit(shop.url)
try {
  const bench: Bench = { shop, limit, rounds: quick ? 1 : 3, seconds: quick ? 0.4 : 3 }
  const seller = createVisitor(shop.url)
  await seller.call(accounts.login, admin)
  add(await served(bench, 'home', get('/'), { cpu: 1.1, p99: 2 }))
  const product = '/products/rebound-sigma-pro'
  const productLimit = await openLimit(shop.url, product)
  add(await served({ ...bench, limit: productLimit }, 'product page', get(product), { cpu: 1.1, p99: 2 }))
  productLimit.close()
  add(await served(bench, 'GET /api/products', get('/api/products'), { cpu: 2 }))
  // As many as there are connections: who asks at the same moment is not the same person.
  const { buy } = await buyersAt(shop)
  const buyers = await Promise.all(
    Array.from({ length: 64 }, async (_, index) => {
      const buyer = createVisitor(shop.url)
      await buyer.call(accounts.register, { ...admin, name: 'Buyer', email: `buyer-${index}@example.com` })
      await buy(buyer)
      return buyer
    }),
  )
  const asBuyers = (path: string) => buyers.map((buyer) => get(path, cookieOf(buyer)))

  add(await served(bench, 'GET /api/user, logged in', asBuyers('/api/user'), { cpu: 5 }))
  add(await served(bench, 'GET /api/purchases, logged in', asBuyers('/api/purchases'), { cpu: 8 }))
  add(await loginFlood(bench, admin))
  add(await checkouts(bench))
  add(loaded(shop))

  await shop.query('truncate purchases cascade')
  fill(shop)
  add(await adminLists(bench, cookieOf(seller)))
  if (!quick) {
    add(await served(bench, 'admin list', get('/api/admin/purchases', cookieOf(seller)), {}))
    add(await served(bench, 'admin search', get('/api/admin/purchases?q=anna', cookieOf(seller)), {}))
  }
  add(await csvExport(bench, cookieOf(seller)))
  add(await coldStart(shop, bench.rounds))
  add(await twoProcesses(shop, bench))
} finally {
  limit.close()
  await shop.close()
  await postgres.close()
}

const machine = `${cpus().length} cores of ${cpus()[0]?.model ?? 'unknown'}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}`
console.log(`\n${tableOf(lines)}\n`)
mkdirSync('bench-results', { recursive: true })
writeFileSync('bench-results/bench.json', JSON.stringify({ machine, size, lines }, null, 2))
writeFileSync(
  'bench-results/bench.md',
  `${machine}; ${size.users} users, ${size.purchases} purchases\n\n${tableOf(lines)}\n`,
)
process.exit(lines.some(({ ok }) => ok === false) ? 1 : 0)

function cookieOf(visitor: Visitor) {
  return [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
}
