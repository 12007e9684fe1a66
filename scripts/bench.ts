import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import { accounts } from '#contract/accounts.ts'
import { createVisitor } from '#server/testing/visitor.ts'
import type { Line } from './bench/scenarios.ts'
import { coldStart, csvExport, loaded, loginFlood, openLimit, served } from './bench/scenarios.ts'
import { admin } from './faults/process.ts'
import { openPostgres } from './faults/victim.ts'
import freshWeb from './fresh-web.ts'

/** `npm run bench`: the shop beside the limit of the machine, as one table. `-- --quick` in under a minute, with a small shop. */
const quick = process.argv.includes('--quick')
const size = quick ? { users: 2000, purchases: 5000 } : { users: 300_000, purchases: 1_000_000 }

await freshWeb()
const postgres = await openPostgres()
const shop = await postgres.openVictim()
const lines: Line[] = []
try {
  const demo = ['scripts/demo.ts', '--users', String(size.users), '--purchases', String(size.purchases)]
  spawnSync(process.execPath, demo, {
    env: { ...process.env, DATABASE_URL: shop.databaseUrl, DATA_DIR: shop.dataDir },
    stdio: 'inherit',
  })
  const visitor = createVisitor(shop.url)
  await visitor.call(accounts.login, admin)
  const cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const limit = await openLimit(shop)
  const bench = {
    shop,
    limit,
    cookie: { user: cookie, admin: cookie },
    rounds: quick ? 3 : 5,
    seconds: quick ? 1 : 4,
  }

  lines.push(...(await served(bench, 'home', '/', { cpu: 1.1, p99: 2 })))
  lines.push(...(await served(bench, 'product page', '/products/rebound-sigma-pro', { cpu: 1.1, p99: 2 })))
  lines.push(...(await served(bench, 'GET /api/products', '/api/products', { cpu: 2 })))
  lines.push(...(await served(bench, 'GET /api/user, logged in', '/api/user', { cpu: 5 }, cookie)))
  lines.push(...(await served(bench, 'GET /api/purchases, logged in', '/api/purchases', { cpu: 8 }, cookie)))
  lines.push(...(await loginFlood(bench, admin)))
  lines.push(...(await csvExport(bench)))
  lines.push(...loaded(shop))
  lines.push(...(await coldStart(shop)))
  limit.close()
} finally {
  await shop.close()
  await postgres.close()
}

const machine = `${cpus().length} cores of ${cpus()[0]?.model ?? 'unknown'}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}`
const mark = (ok: boolean | undefined) => (ok === undefined ? '' : ok ? 'yes' : 'NO')
const table = [
  `| what | figure | budget | met |`,
  '|---|---|---|---|',
  ...lines.map(({ what, figure, budget, ok }) => `| ${what} | ${figure} | ${budget} | ${mark(ok)} |`),
].join('\n')
console.log(`\n${table}\n`)
mkdirSync('bench-results', { recursive: true })
writeFileSync('bench-results/bench.json', JSON.stringify({ machine, size, lines }, null, 2))
writeFileSync(
  'bench-results/bench.md',
  `${machine}; ${size.users} users, ${size.purchases} purchases\n\n${table}\n`,
)
process.exit(lines.some(({ ok }) => ok === false) ? 1 : 0)
