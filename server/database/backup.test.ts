import { PassThrough, Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { contract } from '#contract/index.ts'
import { openShop } from '../testing/open-shop.ts'
import { createTestDatabase } from '../testing/test-database.ts'
import { backup, restore } from './backup.ts'

async function backupOf(url: string) {
  const out = new PassThrough()
  const written = text(out)
  const { rows } = await backup(url, out)
  out.end()
  return { content: await written, rows }
}

test('a backup taken while the shop runs comes back with the same checksums', async () => {
  await using shop = await openShop()
  for (const name of ['ä', 'tab\t', 'line\nbreak', 'back\\slash', '\\.']) {
    await shop
      .visitor()
      .call(contract.contact.send, { firstName: name, lastName: 'x', email: 'a@example.com', message: name })
  }
  const first = await backupOf(shop.connection.url)
  const empty = await createTestDatabase()
  // A shop that was opened once has every table.
  await (await openShop({ databaseUrl: empty.url })).close()
  const restored = await restore(empty.url, Readable.from([first.content]))
  expect(restored.rows).toBe(first.rows)
  expect((await backupOf(empty.url)).content).toBe(first.content)
  await empty.drop()
})

test('a damaged backup changes nothing', async () => {
  await using shop = await openShop()
  await shop.visitor().call(contract.newsletter.subscribe, { email: 'kept@example.com' })
  const { content } = await backupOf(shop.connection.url)
  const damages = {
    altered: content.replace('kept@example.com', 'lost@example.com'),
    cut: content.slice(0, content.length / 2),
    foreign: 'not a backup',
  }
  for (const [name, damaged] of Object.entries(damages)) {
    await expect(restore(shop.connection.url, Readable.from([damaged])), name).rejects.toThrow(/backup/)
  }
  expect((await backupOf(shop.connection.url)).content).toContain('kept@example.com')
})
