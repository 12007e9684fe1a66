import { existsSync, readFileSync } from 'node:fs'
import { settingNames } from '#server/config/environment.ts'
import packageJson from '../package.json' with { type: 'json' }
import { checkArrows } from './checks/arrows.ts'
import { checkDocuments, checkSettings, readDocuments } from './checks/documents.ts'
import { checkGlossary, readGlossary } from './checks/glossary.ts'
import { checkFileNames, checkInterfaces } from './checks/interfaces.ts'
import { checkMigrations } from './checks/migrations.ts'
import { type Bill, checkLockFile, checkMaterials } from './checks/packages.ts'
import { checkPlanNames, checkWordLists, findDuplicates, readSources } from './checks/sources.ts'
import { checkTables, readTables } from './checks/tables.ts'
import { run } from './run.ts'

/** `npm run check`: everything we can check without running the code. `-- --fix` formats it first. */

type Verdict = { ok: boolean; output: string; seen?: string }
type Judge = () => Verdict | Promise<Verdict>

const steps: Record<string, Judge> = {
  types: () => run('tsc -p .'),
  lint: () => run('oxlint --type-aware --deny-warnings'),
  format: () => run('biome check --error-on-warnings'),
  'unused code and dependencies': () => run('knip --treat-config-hints-as-errors'),
  'import arrows': () => {
    const { complaints, modules, imports } = checkArrows(readSources('.'))
    return verdict(complaints, `${modules} modules, ${imports} imports`)
  },
  'module interfaces': () => verdict(checkInterfaces(readSources('.'))),
  'file names': () => verdict(checkFileNames(readSources('.').keys())),
  'table owners': async () => {
    const tables = await readTables()
    const { complaints, writes } = checkTables(readSources('.'), tables)
    return verdict(complaints, `${tables.length} tables, ${writes} writes`)
  },
  'status lists': () => {
    const { complaints, lists } = checkWordLists(readSources('.'))
    return verdict(complaints, `${lists} lists`)
  },
  'plan names': () => verdict(checkPlanNames(readSources('.'))),
  'duplicate code': () => verdict(findDuplicates(readSources('.'))),
  migrations: checkMigrations,
  settings: () => verdict(checkSettings(readFileSync('.env.example', 'utf8'), settingNames)),
  documents: () => {
    const documents = readDocuments()
    const scripts = Object.keys(packageJson.scripts)
    return verdict(checkDocuments(documents, { exists: existsSync, scripts }), `${documents.size} documents`)
  },
  glossary: () => {
    const refused = readGlossary(readFileSync('docs/glossary.md', 'utf8'))
    const documents = [...readDocuments()].filter(([path]) => !['docs/glossary.md', 'CHANGELOG.md'].includes(path))
    return verdict(checkGlossary(readSources('.'), new Map(documents), refused), `${refused.length} words`)
  },
  'lock file': () => {
    const lockFile = JSON.parse(readFileSync('package-lock.json', 'utf8'))
    return verdict(checkLockFile(lockFile), `${Object.keys(lockFile.packages).length - 1} packages`)
  },
  'bill of materials': async () => {
    const { ok, output } = await run(`${packageJson.scripts.sbom} --loglevel=error`)
    if (!ok) return { ok, output }
    const bill: Bill = JSON.parse(output)
    return verdict(checkMaterials(bill), `${bill.components.length} packages, their licenses and hashes`)
  },
}

function verdict(complaints: string[], seen?: string): Verdict {
  return { ok: complaints.length === 0, output: complaints.join('\n'), ...(seen && { seen }) }
}

async function attempt(judge: Judge): Promise<Verdict> {
  try {
    return await judge()
  } catch (error) {
    return verdict([String(error)])
  }
}

export async function check(): Promise<{ passed: number; failed: number }> {
  const verdicts = await Promise.all(
    Object.entries(steps).map(async ([name, judge]) => {
      const started = performance.now()
      const { ok, output, seen } = await attempt(judge)
      const seconds = ((performance.now() - started) / 1000).toFixed(1)
      console.log(`${ok ? '✓' : '✗'} ${name} (${[seen, `${seconds} s`].filter(Boolean).join(', ')})`)
      if (!ok) console.log(`\n${output.trim()}\n`)
      return ok
    }),
  )
  const passed = verdicts.filter(Boolean).length
  return { passed, failed: verdicts.length - passed }
}

if (import.meta.main) {
  if (process.argv.includes('--fix')) console.log((await run('biome check --write')).output.trim())
  const { failed } = await check()
  process.exitCode = failed > 0 ? 1 : 0
}
