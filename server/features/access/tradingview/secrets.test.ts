import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { gunzipSync } from 'node:zlib'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { tradingViewAdmin } from '#contract/access/tradingview-admin.ts'
import type { Endpoint } from '#contract/endpoint.ts'
import { accounts } from '#contract/identity/accounts.ts'
import { contract } from '#contract/index.ts'
import { backupToFile } from '#server/database/backup.ts'
import { createSecrets, loadSecretsKey } from '#server/security/secrets.ts'
import { openConnectedShop } from '#server/testing/connected-shop.ts'

test('the session’s cookies appear unsealed in no log, answer, export, email, table or backup', async () => {
  const lines: string[] = []
  const log = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) })
  await using shop = await openConnectedShop({ log })
  const { controls } = shop.tradingViewStandIn
  const admin = await shop.admin()
  const cookies = await controls.cookies()
  const secrets = [...cookies.matchAll(/=([^;]+)/g)].map(([, value = '']) => value)
  expect(secrets).toHaveLength(2)

  const buyer = await shop.namedBuyer()
  await shop.settle()
  const answers: string[] = []
  const collect = async (response: Response) => void answers.push(await response.text())
  const send = (body: object) => ({
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  // Renews the session, and provokes every kind of refusal and failure.
  await collect(await admin.fetch('/api/admin/tradingview', send({ cookies, host: 'sandbox', accepts: false })))
  await collect(await admin.fetch('/api/admin/tradingview', send({ cookies, host: 'localhost', accepts: true })))
  await collect(await admin.fetch('/api/admin/tradingview', send({ cookies, host: 'sandbox', unknown: 1 })))
  await collect(await admin.fetch('/api/admin/tradingview', { ...send({}), body: `{"cookies":"${cookies}"` }))
  for (const fault of ['robot', 'broken', 'odd', 'error'] as const) {
    await controls.behave({ next: [fault] })
    await admin.call(tradingViewAdmin.test, {}).catch(() => undefined)
  }
  await controls.behave({})
  const endpoints = Object.values(contract).flatMap((calls) => Object.values<Endpoint>(calls))
  const readableWithoutId = endpoints.filter(({ method, path }) => method === 'GET' && !path.includes(':'))
  for (const { path } of readableWithoutId) await collect(await admin.fetch(path))
  for (const kind of ['buyers', 'orders', 'forms']) await collect(await admin.fetch(`/api/admin/export/${kind}`))
  for (const person of [admin, buyer]) answers.push(JSON.stringify(await person.call(accounts.myData, {})))
  await collect(await shop.visitor().fetch('/metrics'))

  const { rows: storedTables } = await shop.connection.pool.query<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname in ('public', 'jobs')`,
  )
  const stored: string[] = []
  for (const { name } of storedTables) {
    const { rows } = await shop.connection.pool.query<{ text: string }>(`select t::text as text from ${name} t`)
    stored.push(...rows.map(({ text }) => text))
  }
  const written = [...lines, ...answers, ...stored, JSON.stringify(await shop.mails())]
  expect(written.length).toBeGreaterThan(50)
  expect(written.filter((text) => secrets.some((secret) => text.includes(secret)))).toEqual([])
  const [connection] = (await shop.connection.pool.query('select sealed_cookies from tv_connection')).rows
  expect(connection?.sealed_cookies).toMatch(/^[0-9a-f]{8}:/)

  // A backup contains the sealed cookies.
  const file = `${shop.config.dataDir}/backup.gz`
  const shopSecrets = createSecrets(loadSecretsKey(undefined, shop.config.dataDir))
  await backupToFile(shop.connection.url, file, { secrets: shopSecrets, version: '1.0.0' })
  const dump = gunzipSync(readFileSync(file)).toString()
  const tables = dump.split(/^COPY /m).slice(1)
  expect(tables.length).toBeGreaterThan(30)
  const tablesWithSecrets = tables.filter((table) => secrets.some((secret) => table.includes(secret)))
  // Only the sandbox, which plays TradingView, stores the cookies in plain text.
  expect(tablesWithSecrets.map((table) => table.split(' ')[0])).toEqual(['sandbox.tradingview_settings'])
  expect(tables.find((table) => table.startsWith('public.tv_connection'))).toContain(connection?.sealed_cookies)

  // After a change of the shop's key, the session is sealed again.
  const oldKey = await promisify(execFile)('cat', [`${shop.config.dataDir}/secrets-key`])
  const rotate = promisify(execFile)(process.execPath, ['scripts/secrets.ts', 'rotate'], {
    env: {
      ...process.env,
      DATABASE_URL: shop.config.databaseUrl,
      DATA_DIR: shop.config.dataDir,
      SECRETS_KEY_OLD: oldKey.stdout.trim(),
      SECRETS_KEY: 'a1b2c3d4e5f60718293a4b5c6d7e8f90112233445566778899aabbccddeeff01',
    },
  })
  expect((await rotate).stdout).toMatch(/^1 sealed again/)
})
