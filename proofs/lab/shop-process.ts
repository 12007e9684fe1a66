import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { freePort } from '#server/database/free-port.ts'

/** Visitors type these texts, which the shop's log must not contain. */
export const personalData = { domain: 'lab.example', words: 'planted words of a visitor' }

const passwordHash = String.raw`\$argon2`
const emailAddress = String.raw`[\w.+-]+@[a-z][\w-]*\.[a-z]{2,}`
const personalPattern = new RegExp([personalData.domain, personalData.words, passwordHash, emailAddress].join('|'), 'i')

const leaks = new Set<string>()

function watchForLeaks(...streams: Readable[]) {
  for (const stream of streams)
    createInterface({ input: stream }).on('line', (line) => {
      const leak = personalPattern.exec(line)
      if (leak && leaks.size < 20) leaks.add(line.slice(Math.max(0, leak.index - 100), leak.index + 60))
    })
}

export const leaksSoFar = () => [...leaks]

export const seller = { email: `seller@${personalData.domain}`, password: 'the seller of this shop' }

const repository = fileURLToPath(new URL('../..', import.meta.url))
const labEntry = fileURLToPath(new URL('./shop-entry.ts', import.meta.url))

/** Node's flags in `npm start`, which are between `node` and the entry file. */
function flagsOf(folder: string): string[] {
  const { scripts } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  return String(scripts.start).split(' ').slice(1, -1)
}

/** The shop keeps its address when it restarts. `folder` may hold another build. */
export async function openProcess(env: Record<string, string>, { entry = labEntry, folder = repository } = {}) {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const isReady = () =>
    fetch(`${url}/readyz`).then(
      (response) => response.ok,
      () => false,
    )

  async function start(entryFile: string): Promise<{ child: ChildProcess; seconds: number }> {
    const startedAt = performance.now()
    const child = spawn(process.execPath, [...flagsOf(folder), entryFile], {
      cwd: folder,
      env: {
        ...process.env,
        PORT: String(port),
        HOST: '127.0.0.1',
        // The same for all shops of a lab, so that they can share rendered pages, which contain it.
        PUBLIC_URL: 'http://localhost:3000',
        LOG_LEVEL: 'error',
        ADMIN_EMAIL: seller.email,
        ADMIN_PASSWORD: seller.password,
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    watchForLeaks(child.stdout, child.stderr)
    child.stderr.pipe(process.stderr, { end: false })
    while (performance.now() < startedAt + 60_000) {
      if (child.exitCode !== null) throw new Error(`The shop exited with code ${child.exitCode}`)
      if (await isReady()) return { child, seconds: (performance.now() - startedAt) / 1000 }
      await sleep(10)
    }
    throw new Error('The shop did not start')
  }

  let { child, seconds } = await start(entry)
  const isAlive = () => child.exitCode === null && child.signalCode === null

  return {
    url,
    port,
    pid: () => child.pid ?? 0,
    secondsToStart: () => seconds,
    isAlive,
    isReady,
    /** SIGTERM waits for visitors, SIGINT does not. */
    async stop(signal: 'SIGTERM' | 'SIGINT' | 'SIGKILL' = 'SIGINT') {
      if (!isAlive()) return child.exitCode
      const exited = once(child, 'exit')
      child.kill(signal)
      const [code] = await exited
      return code as number | null
    },
    async startAgain(entryFile = entry) {
      ;({ child, seconds } = await start(entryFile))
    },
  }
}
