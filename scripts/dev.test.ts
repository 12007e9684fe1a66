import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, onTestFailed, test } from 'vitest'
import { freePort } from '#server/database/free-port.ts'
import freshBuild from './fresh-build.ts'

/** A copy of the repository, because this test edits it; node_modules is only linked. */
const copy = mkdtempSync(join(tmpdir(), 'shop-dev-'))
let dev: ChildProcess
let url: string
let errorOutput = ''

beforeAll(async () => {
  freshBuild()
  for (const name of [
    'package.json',
    'package-lock.json',
    'vite.config.ts',
    'content',
    'contract',
    'web',
    'server',
    'sandbox',
    'scripts',
  ])
    cpSync(name, join(copy, name), { recursive: true })

  cpSync('dist', join(copy, 'dist'), { recursive: true })
  mkdirSync(join(copy, 'node_modules'))
  for (const name of readdirSync('node_modules').filter((installed) => installed !== '.vite'))
    symlinkSync(resolve('node_modules', name), join(copy, 'node_modules', name))

  const port = await freePort()
  url = `http://localhost:${port}`
  dev = spawn(process.execPath, ['scripts/dev.ts'], {
    cwd: copy,
    env: { ...process.env, PORT: String(port), DATA_DIR: join(copy, 'data'), LOG_LEVEL: 'silent' },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  dev.stderr?.on('data', (text) => {
    errorOutput += text
  })
})
afterAll(async () => {
  if (dev.exitCode === null) {
    const exited = once(dev, 'exit')
    dev.kill()
    await exited
  }
  rmSync(copy, { recursive: true, force: true })
})

const readPage = (path: string) =>
  fetch(url + path).then(
    (response) => response.text(),
    () => 'no response',
  )

async function expectSoon(path: string, text: string) {
  await expect.poll(() => readPage(path), { interval: 200 }).toContain(text)
}

function edit(file: string, before: string, after: string) {
  const path = join(copy, file)
  const source = readFileSync(path, 'utf8')
  expect(source).toContain(before)
  writeFileSync(path, source.replace(before, after))
}

test('development starts with an empty data folder and picks up changes to pages and server', async () => {
  onTestFailed(() => console.error(errorOutput))
  const [title, notFound] = ['Premium Trading Indicators', 'There is nothing here']
  await expectSoon('/', title)
  await expectSoon('/api/nope', notFound)

  edit('web/router.tsx', "title: 'Products'", "title: 'A page that was changed'")
  await expectSoon('/products', 'A page that was changed')

  edit('server/http/server.ts', notFound, 'A server that was changed')
  await expectSoon('/api/nope', 'A server that was changed')
  expect(await readPage('/products')).toContain('A page that was changed')
})
