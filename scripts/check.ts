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

/** `npm run check`: every check that does not run the shop. `-- --fix` formats the code first. */

/** `checked` says how much was checked, such as “12 tables”. */
type StepResult = { ok: boolean; output: string; checked?: string }
type Step = () => StepResult | Promise<StepResult>

const steps: Record<string, Step> = {
  types: () => run('tsc -p .'),
  lint: () => run('oxlint --type-aware --deny-warnings'),
  format: () => run('biome check --error-on-warnings'),
  'unused code and dependencies': () => run('knip --treat-config-hints-as-errors'),
  'import arrows': () => {
    const { complaints, modules, imports } = checkArrows(readSources('.'))
    return resultOf(complaints, `${modules} modules, ${imports} imports`)
  },
  'module interfaces': () => resultOf(checkInterfaces(readSources('.'))),
  'file names': () => resultOf(checkFileNames(readSources('.').keys())),
  'table owners': async () => {
    const tables = await readTables()
    const { complaints, writes } = checkTables(readSources('.'), tables)
    return resultOf(complaints, `${tables.length} tables, ${writes} writes`)
  },
  'status lists': () => {
    const { complaints, lists } = checkWordLists(readSources('.'))
    return resultOf(complaints, `${lists} lists`)
  },
  'plan names': () => resultOf(checkPlanNames(readSources('.'))),
  'duplicate code': () => resultOf(findDuplicates(readSources('.'))),
  migrations: checkMigrations,
  settings: () => resultOf(checkSettings(readFileSync('.env.example', 'utf8'), settingNames)),
  documents: () => {
    const documents = readDocuments()
    const scripts = Object.keys(packageJson.scripts)
    return resultOf(checkDocuments(documents, { exists: existsSync, scripts }), `${documents.size} documents`)
  },
  glossary: () => {
    const refused = readGlossary(readFileSync('docs/glossary.md', 'utf8'))
    const documents = [...readDocuments()].filter(([path]) => !['docs/glossary.md', 'CHANGELOG.md'].includes(path))
    return resultOf(checkGlossary(readSources('.'), new Map(documents), refused), `${refused.length} words`)
  },
  'lock file': () => {
    const lockFile = JSON.parse(readFileSync('package-lock.json', 'utf8'))
    return resultOf(checkLockFile(lockFile), `${Object.keys(lockFile.packages).length - 1} packages`)
  },
  'bill of materials': async () => {
    const { ok, output } = await run(`${packageJson.scripts.sbom} --loglevel=error`)
    if (!ok) return { ok, output }
    const bill: Bill = JSON.parse(output)
    return resultOf(checkMaterials(bill), `${bill.components.length} packages, their licenses and hashes`)
  },
}

function resultOf(complaints: string[], checked?: string): StepResult {
  const result = { ok: complaints.length === 0, output: complaints.join('\n') }
  return checked ? { ...result, checked } : result
}

async function runStep(step: Step): Promise<StepResult> {
  try {
    return await step()
  } catch (error) {
    return resultOf([String(error)])
  }
}

export async function check(): Promise<{ passed: number; failed: number }> {
  const results = await Promise.all(
    Object.entries(steps).map(async ([name, step]) => {
      const started = performance.now()
      const { ok, output, checked } = await runStep(step)
      const seconds = ((performance.now() - started) / 1000).toFixed(1)
      console.log(`${ok ? '✓' : '✗'} ${name} (${[checked, `${seconds} s`].filter(Boolean).join(', ')})`)
      if (!ok) console.log(`\n${output.trim()}\n`)
      return ok
    }),
  )
  const passed = results.filter(Boolean).length
  return { passed, failed: results.length - passed }
}

if (import.meta.main) {
  if (process.argv.includes('--fix')) console.log((await run('biome check --write')).output.trim())
  const { failed } = await check()
  process.exitCode = failed > 0 ? 1 : 0
}
