import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { accounts } from '#contract/identity/accounts.ts'
import { createVisitor } from '#server/testing/visitor.ts'
import { type Answer, createWrites } from '../lab/ask.ts'
import { repeatConcurrently } from '../lab/load.ts'
import { createTally } from '../lab/measures.ts'
import { openProcess, seller } from '../lab/shop-process.ts'
import { fault } from './fault.ts'

const limit = { rounds: 5 }

fault(
  'backup and restore',
  async ({ shop, lab }) => {
    const answers = createTally<Answer>()
    const writes = createWrites()
    const writers = repeatConcurrently(2, (writer) => async (turn) => {
      answers.add(await writes.write(shop, `${writer}-${turn}`))
    })
    let lines = 0
    let differing = 0
    let missing = 0
    let copyUrl = ''
    for (let round = 0; round < limit.rounds; round++) {
      // A backup never replaces another, so each has its own name.
      const backup = join(shop.dataDir, `backup-${round}.gz`)
      const backupOfCopy = join(shop.dataDir, `backup-of-copy-${round}.gz`)
      const acknowledgedBefore = [...writes.acknowledged]
      copyUrl = await lab.createDatabase({ empty: true })
      await runCommand('backup', shop.dataDir, shop.databaseUrl, backup)
      await runCommand('restore', shop.dataDir, copyUrl, backup)
      await runCommand('backup', shop.dataDir, copyUrl, backupOfCopy)
      if (sha256OfTables(backup) !== sha256OfTables(backupOfCopy)) differing += 1
      const content = gunzipSync(readFileSync(backupOfCopy)).toString()
      lines += content.split('\n').length
      missing += acknowledgedBefore.filter((email) => !content.includes(`\t${email}\t`)).length
    }
    await writers.stop()
    const canStart = await canLogIn(shop.dataDir, copyUrl)
    return {
      ok: differing === 0 && missing === 0 && answers.only(200) && canStart,
      figures: `${limit.rounds} times, ${lines} lines: ${differing} checksums differ, ${missing} acknowledged writes missing; responses meanwhile ${answers.show()}; the restored shop ${canStart ? 'starts' : 'does not start'}`,
    }
  },
  { isInQuickRun: false },
)

async function runCommand(name: 'backup' | 'restore', dataDir: string, databaseUrl: string, file: string) {
  const child = spawn(process.execPath, [`scripts/${name}.ts`, file], {
    env: { ...process.env, DATABASE_URL: databaseUrl, DATA_DIR: dataDir },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`npm run ${name} exited with code ${code}`)
}

async function canLogIn(dataDir: string, databaseUrl: string) {
  const restored = await openProcess({ DATA_DIR: dataDir, DATABASE_URL: databaseUrl })
  try {
    return await createVisitor(restored.url)
      .call(accounts.login, seller)
      .then(
        () => true,
        () => false,
      )
  } finally {
    await restored.stop()
  }
}

/** Leaves out the header, the signature, and the audit entries of the two commands, which differ each time. */
function sha256OfTables(file: string): string {
  const lines = gunzipSync(readFileSync(file)).toString().split('\n').slice(2, -2)
  const sameLines = lines.filter((line) => !/\tbackup\.(create|restore)\t| rows of public\.audit_log, /.test(line))
  return createHash('sha256').update(sameLines.join('\n')).digest('hex')
}
