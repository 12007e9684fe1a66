import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createTestDatabase } from '#server/testing/test-database.ts'
import { expect, test } from './shop.ts'

test('a shop that is stopped during its start exits cleanly', async () => {
  const database = await createTestDatabase()
  const folder = mkdtempSync(join(tmpdir(), 'shop-stop-'))
  const shop = spawn(process.execPath, ['dist/server/main.js'], {
    env: { ...process.env, PORT: '0', DATA_DIR: folder, DATABASE_URL: database.url, LOG_LEVEL: 'info' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })

  const exited = once(shop, 'exit')

  // The shop starts listening before it has looked for its first admin, so its start is not finished yet.
  shop.stdout.on('data', (lines) => {
    if (String(lines).includes('Server listening')) shop.kill('SIGTERM')
  })

  expect(await exited).toEqual([0, null])

  await database.drop()
  rmSync(folder, { recursive: true })
})
