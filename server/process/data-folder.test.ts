import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const main = fileURLToPath(new URL('../main.ts', import.meta.url))

test('a data folder that cannot be created fails with one line and exit code 1', () => {
  const folder = mkdtempSync(join(tmpdir(), 'shop-data-'))
  writeFileSync(join(folder, 'file'), '')
  for (const dataDir of ['/proc/nowhere/data', join(folder, 'file', 'data')]) {
    const { status, stderr } = spawnSync(process.execPath, [main], {
      env: { ...process.env, PORT: '0', DATA_DIR: dataDir },
      encoding: 'utf8',
      timeout: 60_000,
    })
    expect(stderr).toMatch(/^The shop cannot start. Cannot write to the data folder [^\n]+\n$/)
    expect(stderr).toContain(dataDir)
    expect(status).toBe(1)
  }
  rmSync(folder, { recursive: true })
})
