import { spawnSync } from 'node:child_process'
import type { LabShop } from './lab.ts'

/** A shop as large as the budgets assume or, with `--quick`, a small one. */
export const size = process.argv.includes('--quick')
  ? { users: 2000, purchases: 5000 }
  : { users: 300_000, purchases: 1_000_000 }

export function fillShop({ databaseUrl, dataDir }: LabShop) {
  const demo = ['scripts/demo.ts', '--users', String(size.users), '--purchases', String(size.purchases)]
  const env = { ...process.env, DATABASE_URL: databaseUrl, DATA_DIR: dataDir }
  const { status } = spawnSync(process.execPath, demo, { env, stdio: 'inherit' })
  if (status !== 0) throw new Error('The demo could not fill the shop')
}
