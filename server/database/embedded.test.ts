import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { expect, test, vi } from 'vitest'
import { openEmbedded } from './embedded.ts'

test('a local PostgreSQL that dies is started again at the same address, with all that was written', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'shop-embedded-'))
  const { url, folder, close } = await openEmbedded(dataDir)
  const postmaster = () => Number(readFileSync(join(folder, 'postmaster.pid'), 'utf8').split('\n')[0])
  const query = async (text: string) => {
    const client = new pg.Client({ connectionString: url })
    client.on('error', () => undefined)
    try {
      await client.connect()
      return (await client.query(text)).rows
    } finally {
      await client.end().catch(() => undefined)
    }
  }
  try {
    await query('create table kept as select 42 as answer')
    const dead = postmaster()
    process.kill(dead, 'SIGKILL')
    const rows = await vi.waitFor(() => query('select answer from kept'), { timeout: 30_000, interval: 200 })
    expect(rows).toEqual([{ answer: 42 }])
    expect(postmaster()).not.toBe(dead)
  } finally {
    await close()
    rmSync(dataDir, { recursive: true, force: true })
  }
})
