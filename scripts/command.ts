import pg from 'pg'
import { loadEnvFile } from '#server/config/env-file.ts'
import { type Config, ConfigurationError, readConfig } from '#server/config.ts'
import { assertReachable, connect } from '#server/database/connect.ts'
import { openEmbedded } from '#server/database/embedded.ts'
import { Refusal, StartError } from '#server/errors.ts'
import { permissionFault } from '#server/process/permission-fault.ts'

/** An expected error prints one line. */
export async function runCommand(work: (shop: { config: Config; url: string }) => Promise<void>) {
  try {
    for (const warning of loadEnvFile()) console.warn(warning)
    const config = readConfig(process.env)
    const embedded = config.databaseUrl ? undefined : await openEmbedded(config.dataDir)
    try {
      const url = embedded?.url ?? config.databaseDirectUrl ?? config.databaseUrl ?? ''
      await assertDatabaseReachable(url)
      await work({ config, url })
    } finally {
      await embedded?.close()
    }
  } catch (error) {
    const isExpected = [ConfigurationError, StartError, Refusal].some((kind) => error instanceof kind)
    console.error(isExpected ? (error as Error).message : (permissionFault(error) ?? error))
    process.exitCode = 1
  }
}

/** Sends no session settings, because DATABASE_DIRECT_URL may be a pooler in session mode, which refuses them. */
export const connectTo = (url: string) => connect(url, console.error, { directUrl: url })

async function assertDatabaseReachable(url: string) {
  const { pool, close } = connectTo(url)
  try {
    await assertReachable(pool, url)
  } finally {
    await close()
  }
}

export async function withClient<Result>(url: string, work: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

export function exitWith(message: string): never {
  console.error(message)
  process.exit(1)
}
