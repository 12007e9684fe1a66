import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { crashMany, moments } from '#server/testing/crashes.ts'
import { createTestDatabase } from '#server/testing/test-database.ts'

/** Each crash point once; 500 times with `npm run proof -- faults`. */
const kills = moments.length

test(`${kills} kills around every commit lose nothing and duplicate nothing`, {
  timeout: 600_000,
}, async () => {
  const database = await createTestDatabase()
  const dataDir = mkdtempSync(join(tmpdir(), 'shop-crashes-'))
  try {
    const outcome = await crashMany({ databaseUrl: database.url, dataDir }, kills)
    expect(outcome).toMatchObject({ kills, complaints: [], lost: 0, doubled: 0 })
    expect(outcome.payments).toBeGreaterThan(kills / 2)
    expect(outcome.paidBack).toBeGreaterThan(0)
  } finally {
    await database.drop()
    rmSync(dataDir, { recursive: true, force: true })
  }
})
