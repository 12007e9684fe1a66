import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
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

/** As the unit and the container start it, with a database that cannot be reached. */
function start() {
  const { stderr, status } = spawnSync(process.execPath, ['--enable-source-maps', 'dist/server/main.js'], {
    cwd: copy,
    env: { ...process.env, PORT: '0', DATA_DIR: join(copy, 'data'), DATABASE_URL: 'postgres://a:b@127.0.0.1:1/shop' },
    encoding: 'utf8',
  })
  expect(status).toBe(1)
  return stderr
}

test.for(['content/brand.json', 'server/http/server.ts', 'web/router.tsx'])(
  'a build older than %s is never served: the shop says what to run',
  (source) => {
    const file = join(copy, source)
    const before = readFileSync(file, 'utf8')
    writeFileSync(file, `${before}// edited\n`)
    expect(start()).toMatch(/^The shop cannot start. The build in dist .+ Run: npm run build\n$/)

    // The same content at another time is still what was built.
    writeFileSync(file, before)
    expect(start()).toMatch(/^The shop cannot start. Cannot reach the PostgreSQL/)
  },
)

test('without a complete build, the shop says what to run', () => {
  rmSync(join(copy, 'dist/sources'))
  expect(start()).toBe('The shop cannot start. The shop has not been built yet. Run: npm run build\n')
})
