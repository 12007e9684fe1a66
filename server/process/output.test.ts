import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { createTestDatabase } from '../testing/test-database.ts'

const entry = fileURLToPath(new URL('../../scripts/start.ts', import.meta.url))
const boot = new URL('./boot.js', import.meta.url).href

/** Every line that `npm start` prints, until one matches. */
async function linesUntil(last: RegExp, env: Record<string, string>) {
  const dataDir = mkdtempSync(join(tmpdir(), 'shop-output-'))
  const { url, drop } = await createTestDatabase({ empty: true })
  const child = spawn(process.execPath, ['--import', boot, entry], {
    env: { ...process.env, PORT: '0', DATA_DIR: dataDir, DATABASE_URL: url, LOG_LEVEL: 'info', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const exited = once(child, 'exit')
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await exited
    await drop()
    rmSync(dataDir, { recursive: true, force: true })
  })
  const lines: string[] = []
  const isSaid = new Promise<void>((done) => {
    for (const stream of [child.stdout, child.stderr])
      createInterface({ input: stream }).on('line', (line) => {
        lines.push(line)
        if (last.test(line)) done()
      })
  })
  await Promise.race([isSaid, exited])
  // Webhooks of the start come about a second later.
  if (child.exitCode === null) await new Promise((done) => setTimeout(done, 2500))
  return lines
}

const production = {
  NODE_ENV: 'production',
  PAYMENTS: 'sandbox',
  SECRETS_KEY: randomBytes(32).toString('hex'),
  PUBLIC_URL: 'https://shop.example',
}

test('in production, everything the shop prints is JSON, and no webhook comes before it listens', async () => {
  const lines = await linesUntil(/The first admin/, production)
  const messages = lines.map((line) => (JSON.parse(line) as { msg: string }).msg)
  expect(messages).toContain('The shop is open')
  expect(messages.filter((message) => message.includes('webhook'))).toEqual([])
})

test('in production, why it cannot start is JSON, too', async () => {
  const lines = await linesUntil(/never/, { NODE_ENV: 'production', SECRETS_KEY: '' })
  expect(lines).not.toEqual([])
  for (const line of lines) expect(JSON.parse(line)).toMatchObject({ level: 60 })
})
