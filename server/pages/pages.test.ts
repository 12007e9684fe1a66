import { mkdirSync, mkdtempSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { startPagesProcess } from '../testing/pages-process.ts'
import { createTestDatabase } from '../testing/test-database.ts'

/** A build with one page, which shows the support address and cannot be rendered for "impossible". */
const renderer = `export const renderPages = async ({ supportEmail }) => {
  if (supportEmail === 'impossible') throw new Error('impossible')
  const page = (path) => ({ path, html: 'Write to ' + supportEmail, scriptHashes: [], referrer: 'no-referrer' })
  return { pages: [page('/'), page('*')], files: [{ path: '/robots.txt', type: 'text/plain', body: 'Allow: /' }] }
}`

const folder = mkdtempSync(join(tmpdir(), 'shop-pages-'))
const dist = join(folder, 'dist')
let database: Awaited<ReturnType<typeof createTestDatabase>>
let client: pg.Client
const running: Awaited<ReturnType<typeof startPagesProcess>>[] = []

beforeAll(async () => {
  for (const name of ['render', 'web/assets']) mkdirSync(join(dist, name), { recursive: true })
  writeFileSync(join(dist, 'render', 'package.json'), '{ "type": "module" }')
  writeFileSync(join(dist, 'render', 'render.js'), renderer)
  writeFileSync(join(dist, 'web', 'assets', 'main.js'), 'console.log(1)')
  database = await createTestDatabase({ empty: true })
  client = new pg.Client(database.url)
  await client.connect()
  await client.query('create table shown (text text)')
  await client.query(`insert into shown values ('')`)
})
afterEach(async () => {
  await Promise.all(running.splice(0).map(({ stop }) => stop()))
})
afterAll(async () => {
  await client.end()
  await database.drop()
  rmSync(folder, { recursive: true })
})

const change = (text: string) => client.query('update shown set text = $1', [text])
const cacheOf = (machine: string) => join(folder, machine)
async function start(machine: string) {
  const started = await startPagesProcess({ dist, cacheDir: cacheOf(machine), databaseUrl: database.url })
  running.push(started)
  return {
    text: async (path = '/') => (await fetch(started.url + path)).text(),
    refresh: async () => (await fetch(started.url, { method: 'POST' })).status,
  }
}

test('a change shows at once where it was made, and soon in every other process, even on another machine', async () => {
  await change('a@example.com')
  const changed = await start('one')
  const onSameMachine = await start('one')
  const onOtherMachine = await start('two')
  for (const { text } of [changed, onSameMachine, onOtherMachine]) expect(await text()).toBe('Write to a@example.com')

  await change('b@example.com')
  expect(await changed.refresh()).toBe(200)
  for (const path of ['/', '/nope']) expect(await changed.text(path)).toBe('Write to b@example.com')
  await expect.poll(() => onSameMachine.text()).toBe('Write to b@example.com')
  await expect.poll(() => onOtherMachine.text()).toBe('Write to b@example.com')
  expect(await onOtherMachine.text('/assets/main.js')).toBe('console.log(1)')
})

test('pages that fail to render leave the previous ones in place', async () => {
  await change('c@example.com')
  const pages = await start('one')
  await change('impossible')
  expect(await pages.refresh()).toBe(500)
  expect(await pages.text()).toBe('Write to c@example.com')
  await change('d@example.com')
  expect(await pages.refresh()).toBe(200)
  expect(await pages.text()).toBe('Write to d@example.com')
})

test('a page cut off by a crash is rendered again', async () => {
  await change('e@example.com')
  await (await start('three')).text()
  const [rendered = ''] = readdirSync(cacheOf('three'))
  truncateSync(join(cacheOf('three'), rendered, 'index.html.br'))
  const again = await start('three')
  expect(await again.text()).toBe('Write to e@example.com')
})

test('a renderer that ends before it has read what to render does not end the process', async () => {
  await change('f@example.com')
  await (await start('four')).text()
  // Ends only the renderer, before it reads its input.
  process.env.NODE_OPTIONS = '--import=data:text/javascript,/render.ts$/.test(process.argv[1])&&process.exit(3)'
  const pages = await start('four').finally(() => delete process.env.NODE_OPTIONS)
  await change('x'.repeat(2_000_000))
  expect(await pages.refresh()).toBe(500)
  expect(await pages.text()).toBe('Write to f@example.com')
})
