import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { loadEnvFile, parse } from './env-file.ts'
import { settingNames } from './environment.ts'

const folder = mkdtempSync(join(tmpdir(), 'shop-env-'))
const file = join(folder, '.env')
afterAll(() => rmSync(folder, { recursive: true }))

function load(text: string, env: NodeJS.ProcessEnv = {}) {
  writeFileSync(file, text)
  const warnings = loadEnvFile(env, file).map((warning) => warning.replace(`${file}, `, ''))
  return { env, warnings }
}

/** Each value is what systemd 252 made of the same line, read in its environment.d. */
test.for([
  ['ADMIN_PASSWORD=bluemoon77#river-stone', 'bluemoon77#river-stone', 'has #, a quote or \\ outside of quotes'],
  ["ADMIN_PASSWORD='bluemoon77#river-stone'", 'bluemoon77#river-stone', ''],
  ['ADMIN_PASSWORD="bluemoon77 #river"', 'bluemoon77 #river', ''],
  ['ADMIN_PASSWORD="say \\"hi\\" for \\\\ and \\n"', 'say "hi" for \\ and \\n', ''],
  ['PORT=3000 # the port', '3000 # the port', 'has #'],
  ["PORT='3000' # the port", '3000# the port', 'is only partly in quotes'],
  ['SELLER_NAME=Jane Doe  ', 'Jane Doe', ''],
  ['SELLER_NAME= Jane "JD" Doe', 'Jane "JD" Doe', 'has #, a quote'],
  ['SELLER_NAME=Jane\\ Doe', 'Jane Doe', 'has #, a quote or \\'],
  ["MAIL_FROM='Rebound Sigma <support@shop.example>'", 'Rebound Sigma <support@shop.example>', ''],
  ['TAX_NOTE=', '', ''],
] as const)('%s means the same for the shop and for systemd', ([line, value, warning]) => {
  const { env, warnings } = load(`# A comment.\n\n${line}\n`)
  expect(Object.values(env)).toEqual([value])
  const linesWithWarnings = warnings.map((each) => each.split(':')[0])
  expect(linesWithWarnings).toEqual(warning ? ['line 3'] : [])
  expect(warnings.join()).toContain(warning)
  // A warning must not print the password.
  expect(warnings.join()).not.toContain('river')
})

test('the environment takes precedence over the file, and the last of two lines counts', () => {
  expect(load('PORT=1\nHOST=localhost\nHOST=127.0.0.1', { PORT: '3000' }).env).toEqual({
    PORT: '3000',
    HOST: '127.0.0.1',
  })
})

test('a misspelled name is reported; for one in the file, the report has the line', () => {
  expect(load('SUPORT_EMAIL=a@shop.example\nexport PORT=3000\nCOLOR=blue\nNODE_OPTIONS=').warnings).toEqual([
    'line 1: SUPORT_EMAIL is not a setting of the shop. Did you mean SUPPORT_EMAIL?',
    'line 2: This is not NAME=value, and is ignored.',
    'line 3: COLOR is not a setting of the shop.',
  ])
  expect(load('', { STRIPE_SECRETKEY: 'x', HOME: '/root', HOSTNAME: 'a', TERM_PROGRAM: 'b' }).warnings).toEqual([
    'STRIPE_SECRETKEY is not a setting of the shop. Did you mean STRIPE_SECRET_KEY?',
  ])
})

test('.env.example without its comment signs means the same for the shop and for a shell', () => {
  const lines = readFileSync('.env.example', 'utf8').match(/^# [A-Z_]+=.*$/gm) ?? []
  writeFileSync(file, lines.map((line) => line.slice(2)).join('\n'))
  const shell = execFileSync('bash', ['-euc', 'set -a; source "$1"; env -0', '-', file], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { PATH: process.env.PATH },
  })
  const shellEntries = shell.split('\0')
  const parsed = parse(readFileSync(file, 'utf8'))
  expect(parsed.map(({ name }) => name).toSorted()).toEqual(settingNames.toSorted())
  for (const { name, value, warning } of parsed) {
    expect(shellEntries).toContain(`${name}=${value}`)
    expect(warning, name).toBeUndefined()
  }
})
