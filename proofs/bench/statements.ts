import { setTimeout as sleep } from 'node:timers/promises'
import type { Lab, LabShop } from '../lab/lab.ts'

export type Cost = { buffers: number; statements: number; milliseconds: number }

/** Makes PostgreSQL count statements and the buffers they touch, which takes a restart. */
export async function countStatements({ postgres }: Lab, shop: LabShop) {
  await shop.query(`alter system set shared_preload_libraries = 'pg_stat_statements'`)
  await postgres.restart()
  await shop.query('create extension if not exists pg_stat_statements')
  while (!(await shop.isReady())) await sleep(50)
}

/** What a request costs the database. The minimum of several tries, to leave out jobs that run meanwhile. */
export async function costOf(shop: LabShop, path: string, cookie: string): Promise<Cost> {
  const tries: Cost[] = []
  for (let count = 0; count < 7; count++) {
    await shop.query('select pg_stat_statements_reset()')
    const begun = performance.now()
    const response = await fetch(shop.url + path, { headers: { cookie } })
    await response.arrayBuffer()
    const milliseconds = performance.now() - begun
    if (!response.ok) throw new Error(`${path} returned status ${response.status}`)
    const [counted] = await shop.query<{ buffers: number; statements: number }>(
      `select sum(shared_blks_hit + shared_blks_read)::int as buffers, sum(calls)::int as statements
       from pg_stat_statements where query ~ '"(sessions|users|purchases)"'`,
    )
    tries.push({ buffers: counted?.buffers ?? 0, statements: counted?.statements ?? 0, milliseconds })
  }
  const least = (key: keyof Cost) => Math.min(...tries.map((each) => each[key]))
  return { buffers: least('buffers'), statements: least('statements'), milliseconds: least('milliseconds') }
}
