import { randomInt } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { contact } from '#contract/site/contact.ts'
import { type Connection, connect } from '../database/connect.ts'
import { contactMessages } from '../database/schema.ts'
import { production } from '../testing/production.ts'
import { startShopProcess } from '../testing/shop-process.ts'
import { openSmtp } from '../testing/smtp.ts'
import { createTestDatabase } from '../testing/test-database.ts'
import { createVisitor } from '../testing/visitor.ts'

type Server = Awaited<ReturnType<typeof startShopProcess>>
type Smtp = Awaited<ReturnType<typeof openSmtp>>

let database: Awaited<ReturnType<typeof createTestDatabase>>
let connection: Connection
let smtp: Smtp
let servers: Server[]

const pause = (ms: number) => new Promise<void>((done) => setTimeout(done, ms))
const slowServer = { beforeAnswer: () => pause(randomInt(40)) }
const startServer = () =>
  startShopProcess({ DATABASE_URL: database.url, SMTP_URL: smtp.url, SECRETS_KEY: production.SECRETS_KEY })

beforeAll(async () => {
  database = await createTestDatabase()
  connection = connect(database.url, () => {})
  smtp = await openSmtp(slowServer)
  servers = await Promise.all([startServer(), startServer()])
})
afterAll(async () => {
  await Promise.all(servers.map((server) => server.kill()))
  await smtp.close()
  await connection.close()
  await database.drop()
})
beforeEach(async () => {
  smtp.accepted.length = 0
  await connection.db.delete(contactMessages)
})

/** False does not mean lost: a dying server may store a message without saying so. */
async function sendMessage(message: string) {
  const server = servers[randomInt(servers.length)]
  const sent = createVisitor(server?.url ?? '').call(contact.send, {
    firstName: 'Ada',
    lastName: 'Lovelace',
    email: 'ada@example.com',
    message,
  })
  return sent.then(
    () => true,
    () => false,
  )
}

async function sendMany(count: number) {
  const messages = Array.from({ length: count }, (_, n) => `message-${n}-end`)
  const acknowledged: string[] = []
  const remaining = [...messages]
  const visit = async () => {
    for (let next = remaining.shift(); next; next = remaining.shift()) {
      if (await sendMessage(next)) acknowledged.push(next)
      await pause(randomInt(60))
    }
  }
  await Promise.all(Array.from({ length: 5 }, visit))
  return acknowledged
}

async function waitUntilAllSent() {
  const unsent = async () => {
    const { rows } = await connection.pool.query(
      `select state, count(*)::int from jobs.job where name = 'mail' and state <> 'completed' group by state`,
    )
    return rows
  }
  await expect.poll(unsent, { timeout: 100_000, interval: 200 }).toEqual([])
}

const listStoredMessages = async () =>
  (await connection.db.select().from(contactMessages)).map(({ message }) => message)
const messageIn = (source: string) => /message-\d+-end/.exec(source)?.[0] ?? ''

test('two servers on one database send every email once', async () => {
  const acknowledged = await sendMany(60)
  await waitUntilAllSent()
  expect(acknowledged).toHaveLength(60)
  expect(smtp.accepted.map(({ source }) => messageIn(source)).toSorted()).toEqual(acknowledged.toSorted())
})

test('kills and outages lose no email, and a second copy has the same Message-ID', { timeout: 180_000 }, async () => {
  const receivedLists: Smtp['accepted'][] = [smtp.accepted]
  const writing = sendMany(60)
  const kills = 3
  for (let kill = 0; kill < kills; kill++) {
    await pause(300 + randomInt(500))
    const victim = servers[randomInt(servers.length)]
    await victim?.kill()
    servers = servers.filter((server) => server !== victim)
    // The mail server is away during the second restart.
    const hasMailOutage = kill === 1
    if (hasMailOutage) await smtp.close()
    servers.push(await startServer())
    if (hasMailOutage) {
      smtp = await openSmtp(slowServer, { port: smtp.port })
      receivedLists.push(smtp.accepted)
    }
  }
  const acknowledged = await writing
  await waitUntilAllSent()

  const storedMessages = await listStoredMessages()
  for (const message of acknowledged) expect(storedMessages).toContain(message)
  const copies = Map.groupBy(receivedLists.flat(), ({ source }) => messageIn(source))
  expect([...copies.keys()].toSorted()).toEqual(storedMessages.toSorted())
  for (const [message, mails] of copies) expect(new Set(mails.map(({ messageId }) => messageId)).size, message).toBe(1)
  // A server sends four emails at a time, so a kill can duplicate at most those.
  expect(receivedLists.flat().length - storedMessages.length).toBeLessThanOrEqual(kills * 4)
})

test('a server that is told to stop finishes its current emails and leaves the rest for the next', async () => {
  const acknowledged = await sendMany(30)
  const codes = await Promise.all(servers.splice(0).map((server) => server.stop()))
  expect(codes).toEqual([0, 0])
  servers.push(await startServer())
  await waitUntilAllSent()
  expect(smtp.accepted.map(({ source }) => messageIn(source)).toSorted()).toEqual(acknowledged.toSorted())
})
