import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { accounts } from '#contract/accounts.ts'
import { createVisitor } from '#server/testing/visitor.ts'
import { admin, openProcess } from './process.ts'
import { type Row, subscribe } from './row.ts'

/** The commands themselves, as an operator runs them, while buyers write. */
export const backupAndRestore: Row = {
  name: 'backup and restore',
  async run(victim, quick) {
    const acknowledged: string[] = []
    let [running, wrong] = [true, 0]
    const writer = async (name: number) => {
      for (let count = 0; running; count++) {
        const email = `b${name}-${count}@fault.example`
        const { status } = await subscribe(victim, email)
        if (status === 200) acknowledged.push(email)
        else wrong += 1
      }
    }
    const writers = Array.from({ length: 2 }, (_, name) => writer(name))
    const [first, again] = [join(victim.dataDir, 'first.gz'), join(victim.dataDir, 'again.gz')]
    let [rounds, rows, differing, missing] = [0, 0, 0, 0]
    let copy = ''
    for (; rounds < (quick ? 1 : 5); rounds++) {
      const mustBeIn = [...acknowledged]
      copy = await victim.createDatabase({ empty: true })
      await command('backup', victim.databaseUrl, first)
      await command('restore', copy, first)
      await command('backup', copy, again)
      if (sha256(first) !== sha256(again)) differing += 1
      const content = gunzipSync(readFileSync(again)).toString()
      rows += content.split('\n').length
      missing += mustBeIn.filter((email) => !content.includes(`\t${email}\t`)).length
    }
    running = false
    await Promise.all(writers)
    const restored = await openProcess({ DATA_DIR: victim.dataDir, DATABASE_URL: copy })
    const opens = await createVisitor(restored.url)
      .call(accounts.login, admin)
      .then(
        () => true,
        () => false,
      )
    await restored.stop()
    return {
      ok: differing === 0 && missing === 0 && wrong === 0 && opens,
      figures: `${rounds} times, ${rows} lines: ${differing} checksums differ, ${missing} acknowledged writes missing; meanwhile ${acknowledged.length} writes, ${wrong} refused; the restored shop ${opens ? 'opens' : 'does not open'}`,
    }
  },
}

async function command(name: 'backup' | 'restore', databaseUrl: string, file: string) {
  const child = spawn(process.execPath, [`scripts/${name}.ts`, file], {
    env: { ...process.env, DATABASE_URL: databaseUrl },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`npm run ${name} ended with ${code}`)
}

const sha256 = (file: string) =>
  createHash('sha256')
    .update(gunzipSync(readFileSync(file)))
    .digest('hex')
