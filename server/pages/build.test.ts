import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { hashOfSources } from './build.ts'

/** A copy of the repository, because this test edits it, with the stamp of a build of exactly these sources. */
const copy = mkdtempSync(join(tmpdir(), 'shop-build-'))
const sources = ['content', 'contract', 'web', 'server', 'sandbox', 'vite.config.ts']
for (const name of [...sources, 'package.json', 'package-lock.json', 'scripts'])
  cpSync(name, join(copy, name), { recursive: true })
symlinkSync(resolve('node_modules'), join(copy, 'node_modules'))
afterAll(() => rmSync(copy, { recursive: true, force: true }))

const stamp = join(copy, 'dist/render/sources')
const write = (file: string, text: string) => {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

/** As the unit and the container start it, with a database that is away: how far does it get? */
function start() {
  const { stderr, status } = spawnSync(process.execPath, ['--import', './server/process/boot.js', 'server/main.ts'], {
    cwd: copy,
    env: { ...process.env, PORT: '0', DATA_DIR: join(copy, 'data'), DATABASE_URL: 'postgres://a:b@127.0.0.1:1/shop' },
    encoding: 'utf8',
  })
  expect(status).toBe(1)
  return stderr
}

test('a text that was changed after the build is never served: the shop says what to run', () => {
  expect(start()).toBe('The shop cannot start. The pages have not been built yet. Run: npm run build\n')

  write(stamp, hashOfSources())
  const list = join(copy, 'contract/brand.ts')
  const before = readFileSync(list, 'utf8')
  write(list, before.replace('Rebound Sigma', 'Another Name'))
  expect(start()).toMatch(/^The shop cannot start. The pages in dist .+ Run: npm run build\n$/)

  // Back to what was built, at another time: what counts is what is in a file.
  write(list, before)
  expect(start()).toMatch(/^The shop cannot start. Cannot reach the PostgreSQL/)
})
