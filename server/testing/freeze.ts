import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { createGzip, gzipSync } from 'node:zlib'
import { backup } from '../database/backup.ts'
import journal from '../database/migrations/meta/_journal.json' with { type: 'json' }
import { createSecrets } from '../security/secrets.ts'
import { live } from './life.ts'

/**
 * `DATABASE_URL=postgres://… node server/testing/freeze.ts`, once per release with a new schema: fills an empty database
 * (of a PostgreSQL whose pg_dump is installed), and keeps data, a backup and the answers for later releases' tests.
 */
const url = process.env.DATABASE_URL
const release = journal.entries.at(-1)?.tag
if (!url || !release) throw new Error('DATABASE_URL must name an empty database')

const secretsKey = randomBytes(32).toString('hex')
execFileSync(process.execPath, ['scripts/demo.ts', '--users=24', '--purchases=20', '--days=200'], {
  env: { ...process.env, SECRETS_KEY: secretsKey },
  stdio: 'inherit',
})
const seen = await live(url, secretsKey)
const zipped = createGzip({ level: 9 })
const backedUp = buffer(zipped)
await backup(url, zipped, { secrets: createSecrets(secretsKey), version: release })
zipped.end()
const dump = execFileSync('pg_dump', ['--no-owner', '--no-privileges', `--dbname=${url}`], { maxBuffer: 100_000_000 })
const folder = join('server/testing/released', release)
mkdirSync(folder, { recursive: true })
writeFileSync(join(folder, 'database.sql.gz'), gzipSync(dump, { level: 9 }))
writeFileSync(join(folder, 'backup.sql.gz'), await backedUp)
writeFileSync(join(folder, 'seen.json.gz'), gzipSync(JSON.stringify(seen), { level: 9 }))
process.stdout.write(`${folder} is what this release leaves behind: commit it and never change it.\n`)
