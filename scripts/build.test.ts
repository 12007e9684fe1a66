import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { purchases } from '#contract/selling/purchases.ts'
import { openShop } from '#server/testing/open-shop.ts'
import { startArguments } from '#server/testing/start-arguments.ts'
import freshBuild from './fresh-build.ts'

/** A copy of the repository with its build, because this test edits it. */
const copy = mkdtempSync(join(tmpdir(), 'shop-build-'))
const sources = ['content', 'contract', 'web', 'server', 'sandbox', 'scripts', 'vite.config.ts']

beforeAll(() => {
  freshBuild()
  for (const name of [...sources, 'package.json', 'package-lock.json', 'dist'])
    cpSync(name, join(copy, name), { recursive: true, filter: (path) => !path.includes('compile-cache') })
  symlinkSync(resolve('node_modules'), join(copy, 'node_modules'))
})
afterAll(() => rmSync(copy, { recursive: true, force: true }))

/** Starts the build like `npm start`, with an unreachable database. */
function start() {
  const { stderr, status } = spawnSync(process.execPath, startArguments, {
    cwd: copy,
    env: { ...process.env, PORT: '0', DATA_DIR: join(copy, 'data'), DATABASE_URL: 'postgres://a:b@127.0.0.1:1/shop' },
    encoding: 'utf8',
  })
  expect(status).toBe(1)
  return stderr
}

test.for(['content/brand.json', 'server/http/server.ts', 'web/router.tsx'])(
  'the shop refuses to start when %s changed after the build',
  (source) => {
    const file = join(copy, source)
    const original = readFileSync(file, 'utf8')
    writeFileSync(file, `${original}// edited\n`)
    expect(start()).toMatch(/^The shop cannot start. The build in dist .+ Run: npm run build\n$/)
    writeFileSync(file, original)
  },
)

test('a file that is written again with the same content does not make the build stale', () => {
  const file = join(copy, 'web/router.tsx')
  writeFileSync(file, readFileSync(file, 'utf8'))
  expect(start()).toMatch(/^The shop cannot start. Cannot reach the PostgreSQL/)
})

test('a seller’s own brand, texts and product replace every word of ours', async () => {
  const content = (name: string) => join(copy, 'content', name)
  const rewrite = (name: string, change: (text: string) => string, newName = name) => {
    const text = change(readFileSync(content(name), 'utf8'))
    rmSync(content(name))
    writeFileSync(content(newName), text)
  }
  const productFile = 'products/rebound-sigma-pro.md'
  rewrite('brand.json', (text) => text.replace('Rebound Sigma', 'Meier Tools').replace('#007d55', '#1d4ed8'))
  rewrite('home.md', (text) => text.replaceAll('rebound', 'scalping'))
  rewrite(
    productFile,
    (text) =>
      text
        .replaceAll('Rebound Sigma Pro', 'Tick Hunter')
        .replaceAll('Rebound List', 'Tick List')
        .replaceAll(/rebound/gi, 'scalp')
        .replace(/^drawings: .*\n/m, '')
        .replace(/^## Example Chart\n[^]*?(?=^## )/m, ''),
    'products/tick-hunter.md',
  )
  const built = spawnSync(process.execPath, ['scripts/build.ts'], { cwd: copy, encoding: 'utf8' })
  expect(built.stderr).toBe('')
  const { startShop } = await import(pathToFileURL(join(copy, 'dist/server/start.js')).href)
  await using shop = await openShop({ start: startShop, withPages: true })
  const ourWords = /.{0,60}(rebound[- ]?(sigma|list)|stocks and etfs.{0,20}rebound).{0,40}/gi
  const foundWords: string[] = []
  const findOurWords = async (path: string) => {
    const response = await fetch(new URL(path, shop.url))
    const text = Buffer.from(await response.arrayBuffer()).toString('latin1')
    for (const [words] of text.matchAll(ourWords)) foundWords.push(`${path}: ${words}`)
    return text
  }

  const sitemap = await findOurWords('/sitemap.xml')
  const listedPages = [...sitemap.matchAll(/<loc>([^<]+)/g)].map(([, address = '']) => new URL(address).pathname)
  expect(listedPages).toContain('/products/tick-hunter')
  const otherPages = [
    '/auth',
    '/checkout',
    '/setup-guide',
    '/welcome',
    '/dashboard',
    '/account',
    '/admin',
    '/withdraw',
    '/cancel',
  ]
  const files = ['/changelog.xml', '/site.webmanifest', '/robots.txt', '/favicon.svg', '/api/openapi.json']
  const scripts = readdirSync(join(copy, 'dist/web/assets')).map((name) => `/assets/${name}`)
  for (const path of [...listedPages, ...otherPages, ...files, ...scripts.filter((name) => /\.(js|css)$/.test(name))])
    await findOurWords(path)
  const home = await findOurWords('/')
  expect(home).toContain('Meier Tools')
  expect(home).toContain('content="#1d4ed8"')

  const preview = await findOurWords('/dev/mails')
  const mails = [...preview.matchAll(/\?mail=([^"&]+)/g)].map(([, name = '']) => name)
  expect(mails.length).toBeGreaterThan(40)
  for (const name of mails) await findOurWords(`/dev/mails/raw?mail=${name}`)

  const buyer = await shop.verifiedUser()
  const order = await shop.begin(buyer, { product: 'tick-hunter' })
  await shop.pay(order)
  await shop.confirmPurchase(buyer, order)
  await shop.settle()
  const [purchase] = await buyer.call(purchases.list, {})
  const [invoice] = await buyer.call(purchases.invoices, { id: purchase?.id ?? '' })
  const { viewUrl, pdfUrl } = await buyer.call(purchases.document, { document: invoice?.id ?? '' })
  for (const address of [viewUrl, pdfUrl]) expect(await findOurWords(address ?? '')).toContain('Meier Tools')
  for (const mail of await shop.mails()) {
    const mailText = `${mail.subject} ${mail.text} ${JSON.stringify(mail.headers)}`
    for (const [words] of mailText.matchAll(ourWords)) foundWords.push(`email: ${words}`)
  }
  expect(foundWords).toEqual([])
})

test('without a complete build, the shop says what to run', () => {
  rmSync(join(copy, 'dist/sources'))
  expect(start()).toBe('The shop cannot start. The shop has not been built yet. Run: npm run build\n')
})
