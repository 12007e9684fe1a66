import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from '@playwright/test'
import { createTestDatabase } from '#server/testing/test-database.ts'

test('a shop told to stop during startup shuts down cleanly', async () => {
  const database = await createTestDatabase()
  const folder = mkdtempSync(join(tmpdir(), 'shop-stop-'))
  const shop = spawn(process.execPath, ['dist/server/main.js'], {
    env: { ...process.env, PORT: '0', DATA_DIR: folder, DATABASE_URL: database.url, LOG_LEVEL: 'info' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(shop, 'exit')
  // It starts listening before it has checked for its first admin.
  shop.stdout.on('data', (lines) => {
    if (String(lines).includes('Server listening')) shop.kill('SIGTERM')
  })
  expect(await ended).toEqual([0, null])
  await database.drop()
  rmSync(folder, { recursive: true })
})
