import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { promisify } from 'node:util'
import fc from 'fast-check'
import { pino } from 'pino'
import { describe, expect, test } from 'vitest'
import { access as contract } from '#contract/access/access.ts'
import { accessAdmin } from '#contract/access/access-admin.ts'
import { purchasesAdmin } from '#contract/selling/purchases-admin.ts'
import { accessForms } from '#server/database/schema.ts'
import { createSecrets } from '#server/security/secrets.ts'
import { bookPurchase } from '#server/testing/book-purchase.ts'
import { type OpenShopOptions, openShop, type TestShop } from '#server/testing/open-shop.ts'

const hexKey = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => Buffer.from(bytes).toString('hex'))
const anyText = fc.string({ unit: 'binary', maxLength: 600 })

describe('a sealed text', () => {
  test('opens with its own key and row, and with no other', () => {
    fc.assert(
      fc.property(hexKey, hexKey, anyText, fc.uuid(), fc.uuid(), (key, otherKey, text, rowId, otherRowId) => {
        fc.pre(key !== otherKey && rowId !== otherRowId)
        const secrets = createSecrets(key)
        const sealed = secrets.seal(text, rowId)
        expect(secrets.open(sealed, rowId)).toBe(text)
        expect(() => secrets.open(sealed, otherRowId)).toThrow('unable to authenticate')
        expect(() => createSecrets(otherKey).open(sealed, rowId)).toThrow('Sealed with key')
        const secretsAfterRotation = createSecrets(otherKey, key)
        expect(secretsAfterRotation.open(sealed, rowId)).toBe(text)
      }),
    )
  })

  test('doesn’t open if even a single bit was changed', () => {
    fc.assert(
      fc.property(hexKey, anyText, fc.uuid(), fc.nat(), fc.nat(7), (key, text, rowId, anyPosition, bit) => {
        const secrets = createSecrets(key)
        const [keyId, encoded = ''] = secrets.seal(text, rowId).split(':')
        const bytes = Buffer.from(encoded, 'base64url')
        const index = anyPosition % bytes.length
        bytes[index] = (bytes[index] ?? 0) ^ (1 << bit)
        const changedText = `${keyId}:${bytes.toString('base64url')}`
        expect(() => secrets.open(changedText, rowId)).toThrow('unable to authenticate')
      }),
    )
  })

  test('is different each time', () => {
    const secrets = createSecrets('ab'.repeat(32))
    expect(secrets.seal('text', 'row')).not.toBe(secrets.seal('text', 'row'))
  })
})

const apiKey = 'plain-api-key-8c1f3a'
const secretKey = 'plain-secret-key-77d0e2'

async function shopWithRequest(options: OpenShopOptions = {}) {
  const shop = await openShop(options)
  const [admin, buyer] = [await shop.admin(), await shop.user()]
  const purchase = await bookPurchase(shop.connection, buyer.user.id)
  const form = { purchaseId: purchase.id, exchangeName: 'Kraken', tradingViewUsername: 'ada', apiKey, secretKey }
  await buyer.call(contract.submitForPurchase, form)
  const [waiting] = await admin.call(accessAdmin.todo, {})
  const id = waiting?.id ?? ''
  const reveal = async () => (await shop.admin()).call(accessAdmin.reveal, { id })
  return { shop, admin, buyer, purchase, form, id, reveal }
}

describe('exchange keys', () => {
  test('are revealed to an admin exactly as they were typed', async () => {
    const { shop, reveal } = await shopWithRequest()
    await using _ = shop
    expect(await reveal()).toEqual({ apiKey, secretKey })
  })

  test('never appear in the database, a log, an email, or an error', async () => {
    const lines: string[] = []
    const log = pino({ level: 'trace' }, { write: (line) => lines.push(line) })
    const { shop, admin, buyer, form, id, reveal } = await shopWithRequest({ log })
    await using _ = shop
    await reveal()
    const postForm = async (body: string) => {
      const headers = { 'content-type': 'application/json' }
      const response = await buyer.fetch('/api/access-requests', { method: 'POST', headers, body })
      return response.text()
    }
    const invalidForm = JSON.stringify({ ...form, exchangeName: '', x: 1 })
    const brokenJson = `{"apiKey":"${apiKey}","secretKey":"${secretKey}"`
    const errors = [await postForm(invalidForm), await postForm(brokenJson)]
    await admin.call(accessAdmin.grant, { ids: [id] })
    await shop.endUndoMinute()
    const written = [...lines, ...errors, ...(await everythingStoredIn(shop)), JSON.stringify(await shop.mails())]
    expect(written.length).toBeGreaterThan(20)
    expect(written.filter((text) => text.includes(apiKey) || text.includes(secretKey))).toEqual([])
  })

  test('are deleted after 30 days', async () => {
    const { shop, reveal } = await shopWithRequest()
    await using _ = shop
    shop.clock.advance({ days: 29 })
    await shop.queue.runNow('purge-exchange-keys')
    expect(await reveal()).toEqual({ apiKey, secretKey })
    shop.clock.advance({ days: 2 })
    await shop.queue.runNow('purge-exchange-keys')
    await expect(reveal()).rejects.toMatchObject({ status: 409 })
  })

  test('are deleted when the subscription ends', async () => {
    const { shop, admin, purchase, reveal } = await shopWithRequest()
    await using _ = shop
    await admin.call(purchasesAdmin.cancel, { id: purchase.id })
    await expect(reveal()).rejects.toMatchObject({ status: 409 })
  })

  test('can’t be read without the shop’s key, and the admin learns which one is missing', async () => {
    const key = randomBytes(32).toString('hex')
    const { shop, id } = await shopWithRequest({ env: { SECRETS_KEY: key } })
    await using _ = shop
    await using another = await openShop({ databaseUrl: shop.connection.url })
    const admin = await another.admin()
    await expect(admin.call(accessAdmin.reveal, { id })).rejects.toMatchObject({
      status: 409,
      serverMessage: expect.stringContaining(`fingerprint ${createSecrets(key).keyId}`),
    })
  })

  test('survive a rotation of the shop’s key, which can be repeated', async () => {
    const [oldKey, newKey] = [randomBytes(32).toString('hex'), randomBytes(32).toString('hex')]
    const { shop, id } = await shopWithRequest({ env: { SECRETS_KEY: oldKey } })
    await using _ = shop
    const settings = { DATABASE_URL: shop.connection.url, SECRETS_KEY: newKey, SECRETS_KEY_OLD: oldKey }
    const rotate = async () => {
      const { stdout } = await promisify(execFile)(process.execPath, ['scripts/secrets.ts', 'rotate'], {
        env: { ...process.env, ...settings },
      })
      return stdout
    }
    expect(await rotate()).toContain('1 sealed again')
    expect(await rotate()).toContain('0 sealed again')
    await using renewed = await openShop({ databaseUrl: shop.connection.url, env: { SECRETS_KEY: newKey } })
    const admin = await renewed.admin()
    expect(await admin.call(accessAdmin.reveal, { id })).toEqual({ apiKey, secretKey })
    const [row] = await shop.connection.db.select().from(accessForms)
    expect(row?.sealedKeys?.startsWith(`${createSecrets(newKey).keyId}:`)).toBe(true)
  })
})

async function everythingStoredIn({ connection: { pool } }: TestShop): Promise<string[]> {
  const { rows: tables } = await pool.query<{ name: string }>(
    `select quote_ident(schemaname) || '.' || quote_ident(tablename) as name
     from pg_tables where schemaname not in ('pg_catalog', 'information_schema')`,
  )
  const contents = await Promise.all(
    tables.map(({ name }) => pool.query<{ row: string }>(`select t::text as row from ${name} t`)),
  )
  return contents.flatMap(({ rows }) => rows.map(({ row }) => row))
}

test('an impossible username is refused at its field, even if the seller unlocks by hand', async () => {
  await using byHand = await openShop({ env: { TRADINGVIEW: 'off', ASK_EXCHANGE_KEYS: 'no' } })
  const buyer = await byHand.buyer()
  const submission = buyer.call(contract.submitForPurchase, {
    purchaseId: buyer.purchase.id,
    tradingViewUsername: 'my name',
  })
  await expect(submission).rejects.toMatchObject({
    status: 400,
    fields: { tradingViewUsername: expect.stringContaining('no spaces') },
  })
})
