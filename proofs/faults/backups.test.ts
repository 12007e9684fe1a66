import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { accounts } from '#contract/identity/accounts.ts'
import { createVisitor } from '#server/testing/visitor.ts'
import { type Answer, createWrites } from '../lab/ask.ts'
import { keepDoing } from '../lab/load.ts'
import { createTally } from '../lab/measures.ts'
import { openProcess, seller } from '../lab/shop-process.ts'
import { fault, sized } from './fault.ts'

const limit = sized({ rounds: 5 }, { rounds: 1 })

/** The actual commands, as an operator runs them, while buyers write. */
fault('backup and restore', async ({ shop, lab }) => {
  const answers = createTally<Answer>()
  const writes = createWrites()
  const writers = keepDoing(2, (writer) => async (turn) => {
    answers.add(await writes.write(shop, `${writer}-${turn}`))
  })
  const [first, again] = [join(shop.dataDir, 'first.gz'), join(shop.dataDir, 'again.gz')]
  let [rounds, lines, differing, missing] = [0, 0, 0, 0]
  let copy = ''
  for (; rounds < limit.rounds; rounds++) {
    const mustBeIn = [...writes.acknowledged]
    copy = await lab.createDatabase({ empty: true })
    await command('backup', shop.dataDir, shop.databaseUrl, first)
    await command('restore', shop.dataDir, copy, first)
    await command('backup', shop.dataDir, copy, again)
    if (sha256(first) !== sha256(again)) differing += 1
    const content = gunzipSync(readFileSync(again)).toString()
    lines += content.split('\n').length
    missing += mustBeIn.filter((email) => !content.includes(`\t${email}\t`)).length
  }
  await writers.stop()
  const opens = await canLogIn(shop.dataDir, copy)
  return {
    ok: differing === 0 && missing === 0 && answers.only(200) && opens,
    figures: `${rounds} times, ${lines} lines: ${differing} checksums differ, ${missing} acknowledged writes missing; responses meanwhile ${answers.show()}; the restored shop ${opens ? 'starts' : 'does not start'}`,
  }
})

async function command(name: 'backup' | 'restore', dataDir: string, databaseUrl: string, file: string) {
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

/**
 * Tables only: the header above them has the time, and the signature follows below. Without what
 * the two commands themselves add to the audit.
 */
const sha256 = (file: string) =>
  createHash('sha256')
    .update(
      gunzipSync(readFileSync(file))
        .toString()
        .split('\n')
        .slice(2, -2)
        .filter((line) => !/\tbackup\.(create|restore)\t| rows of public\.audit_log, /.test(line))
        .join('\n'),
    )
    .digest('hex')
