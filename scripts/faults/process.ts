import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { freePort } from '#server/database/free-port.ts'

export const admin = { email: 'seller@fault.example', password: 'the seller of this shop' }

/** What `npm start` tells Node. */
export const asStarted = [
  '--max-semi-space-size=4',
  '--max-old-space-size=512',
  '--import',
  import.meta.resolve('#server/process/boot.js'),
]
const entry = fileURLToPath(new URL('./shop.ts', import.meta.url))

/** A shop as a process of its own, so that it can be hurt; started again, it has the same address. */
export async function openProcess(env: Record<string, string>) {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const isReady = () =>
    fetch(`${url}/readyz`).then(
      (response) => response.ok,
      () => false,
    )

  let child = await start()
  const isAlive = () => child.exitCode === null && child.signalCode === null

  async function start(): Promise<ChildProcess> {
    const started = spawn(process.execPath, [...asStarted, entry], {
      env: {
        ...process.env,
        PORT: String(port),
        HOST: '127.0.0.1',
        LOG_LEVEL: 'error',
        ADMIN_EMAIL: admin.email,
        ADMIN_PASSWORD: admin.password,
        ...env,
      },
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    for (let tries = 0; tries < 1200; tries++) {
      if (started.exitCode !== null) throw new Error(`The shop stopped with ${started.exitCode}`)
      if (await isReady()) return started
      await sleep(50)
    }
    throw new Error('The shop did not start')
  }

  return {
    url,
    port,
    pid: () => child.pid ?? 0,
    isAlive,
    isReady,
    /** With SIGTERM it waits for its visitors, with SIGINT it does not. */
    async stop(signal: 'SIGTERM' | 'SIGINT' | 'SIGKILL' = 'SIGINT') {
      if (!isAlive()) return child.exitCode
      const exited = once(child, 'exit')
      child.kill(signal)
      const [code] = await exited
      return code as number | null
    },
    async startAgain() {
      child = await start()
    },
  }
}
