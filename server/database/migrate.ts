import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { drizzle } from 'drizzle-orm/node-postgres'
import { migrate as runMigrations } from 'drizzle-orm/node-postgres/migrator'
import pg from 'pg'

const migrationsFolder = fileURLToPath(new URL('./migrations', import.meta.url))
const triggers = fileURLToPath(new URL('./triggers.sql', import.meta.url))

// Any number will do, as long as every server process of the shop uses the same.
const lock = 7_381_920_114

/** Brings the schema up to date. Two servers may start at once: the lock lets one go first. */
export async function migrate(url: string) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query('select pg_advisory_lock($1)', [lock])
    // Part of every PostgreSQL; the search indexes need it, and drizzle-kit does not write it.
    await client.query('create extension if not exists pg_trgm')
    await runMigrations(drizzle(client), { migrationsFolder })
    await client.query(await readFile(triggers, 'utf8'))
  } finally {
    // Ends the session, and the lock with it.
    await client.end()
  }
}
