import { spawnSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { openProcess } from './process.ts'
import { format, type Outcome, type Row, subscribe, timed } from './row.ts'

/** A small disk of its own for a shop with its local PostgreSQL, filled up while buyers write. */
export const diskFull: Row = {
  name: 'disk full',
  alone: true,
  async run() {
    const disk = mkdtempSync(join(tmpdir(), 'shop-fault-disk-'))
    const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=200m', 'tmpfs', disk]).status === 0
    try {
      if (mounted) return await fillUp(disk)
      return { ok: true, skipped: true, figures: 'skipped: needs root, for a small disk of its own' }
    } finally {
      if (mounted) spawnSync('umount', ['--lazy', disk])
      rmSync(disk, { recursive: true, force: true })
    }
  },
}

async function fillUp(disk: string): Promise<Outcome> {
  const shop = await openProcess({ DATA_DIR: disk })
  try {
    const acknowledged: string[] = []
    const statuses = new Map<number, number>()
    let wrongPages = 0
    async function write(count: number) {
      for (let n = 0; n < count; n++) {
        const email = `d${acknowledged.length}-${n}@fault.example`
        const { status } = await subscribe(shop, email)
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
        if (status === 200) acknowledged.push(email)
        if ((await fetch(`${shop.url}/`)).status !== 200) wrongPages += 1
      }
    }
    await write(20)
    fill(join(disk, 'ballast'))
    await write(20)
    // The worst of it: PostgreSQL cannot write its log, ends, and cannot recover while the disk is full.
    const needsMoreLog = `update users set name = name; select pg_switch_wal(); update users set name = name`
    await query(databaseUrl(disk), needsMoreLog).catch(() => undefined)
    await write(20)
    const refused = statuses.get(503) ?? 0
    rmSync(join(disk, 'ballast'))
    const [recovered, took] = await timed(async () => {
      for (let tries = 0; tries < 600; tries++) {
        if ((await subscribe(shop, 'later@fault.example')).status === 200) return true
        await sleep(50)
      }
      return false
    })
    const [{ n } = { n: 0 }] = await query<{ n: number }>(
      databaseUrl(disk),
      'select count(*)::int as n from newsletter_subscriptions where email = any($1)',
      [acknowledged],
    )
    const lost = acknowledged.length - n
    const clean = [...statuses.keys()].every((status) => status === 200 || status === 503)
    return {
      ok: clean && refused > 0 && lost === 0 && wrongPages === 0 && recovered && shop.isAlive(),
      figures: `answers ${format(statuses)}, ${wrongPages} pages wrong, ${acknowledged.length} writes acknowledged, ${lost} lost, ${
        recovered ? `writes again ${(took / 1000).toFixed(1)} s after there was space` : 'never recovered'
      }, same process`,
    }
  } finally {
    await shop.stop()
  }
}

/** Up to the last byte. */
function fill(path: string) {
  const file = openSync(path, 'w')
  for (let size = 2 ** 20; size >= 1; size = Math.floor(size / 2)) {
    try {
      for (;;) writeSync(file, Buffer.alloc(size))
    } catch {
      // No space left for a piece of this size.
    }
  }
  closeSync(file)
}

function databaseUrl(disk: string) {
  const home = join(disk, 'postgres')
  const port = readFileSync(join(home, 'data', 'postmaster.pid'), 'utf8').split('\n')[3]
  return `postgres://shop:${readFileSync(join(home, 'password'), 'utf8').trim()}@127.0.0.1:${port}/shop`
}

async function query<Found extends pg.QueryResultRow>(url: string, text: string, values?: unknown[]) {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => undefined)
  await client.connect()
  try {
    return (await client.query<Found>(text, values)).rows
  } finally {
    await client.end()
  }
}
