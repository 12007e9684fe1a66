import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { recorded } from '#server/testing/tradingview-recorded.ts'
import { createTradingViewClient } from './client.ts'

type Answer = { status?: number; body: unknown }
const answers: Answer[] = []
const requests: string[] = []
const server = createServer((request, response) => {
  requests.push(`${request.method} ${request.url}`)
  const { status = 200, body } = answers.shift() ?? { status: 500, body: 'nothing is left to say' }
  response.writeHead(status).end(typeof body === 'string' ? body : JSON.stringify(body))
})

let client: ReturnType<typeof createTradingViewClient>
beforeAll(async () => {
  await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done))
  client = createTradingViewClient({
    mayWrite: true,
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cookies: { sessionid: 'a', sessionid_sign: 'b' },
    turn: async () => {},
    report: () => {},
  })
})
afterAll(() => void server.close())

function setAnswers(...nextAnswers: Answer[]) {
  requests.length = 0
  answers.splice(0, answers.length, ...nextAnswers)
}

const pineId = 'PUB;4f1c2a9be07d4c3f8a5560d1e2b3c4d5'

test('every recorded answer of TradingView is understood', async () => {
  setAnswers({ body: recorded.hint })
  expect(await client.findName('ADA_TRADES')).toEqual({ username: 'ada_trades' })
  setAnswers({ body: { results: recorded.hint } })
  expect(await client.findName('ada_trades')).toEqual({ username: 'ada_trades' })
  setAnswers({ body: recorded.list }, { body: recorded.lastPage })
  expect(await client.people(pineId)).toEqual({
    people: [
      { id: '4711', username: 'ada_trades', until: new Date('2022-11-30T23:59:59.999Z') },
      { id: '4710', username: 'TrendFollower', until: null },
    ],
    isComplete: true,
    pages: 2,
  })
  expect(requests[1]).toBe(`POST ${recorded.list.next}`)
  setAnswers({ status: 201, body: recorded.done }, { body: recorded.exists }, { body: recorded.notThere })
  expect(await client.add(pineId, 'ada_trades', null)).toBe('ok')
  expect(await client.add(pineId, 'ada_trades', null)).toBe('exists')
  expect(await client.remove(pineId, 'ada_trades')).toBe('not_exists')
  setAnswers({ body: recorded.scripts }, { body: recorded.named })
  expect(await client.scripts()).toEqual([{ pineId, name: 'Rebound Sigma Pro' }])
})

test('a refused page size is halved once, and an invalid cursor leaves the list incomplete', async () => {
  setAnswers({ status: 400, body: recorded.badPage }, { body: recorded.lastPage })
  expect(await client.people(pineId)).toMatchObject({ isComplete: true })
  expect(requests.map((line) => /limit=\d+/.exec(line)?.[0])).toEqual(['limit=20', 'limit=10'])
  setAnswers({ status: 400, body: recorded.badPage }, { status: 400, body: recorded.badPage })
  await expect(client.people(pineId)).rejects.toMatchObject({ kind: 'unknown' })
  setAnswers({ body: recorded.list }, { status: 404, body: { detail: 'Invalid cursor' } })
  expect(await client.people(pineId)).toMatchObject({ isComplete: false, people: [{}, {}] })
})

const page = '<!doctype html><title>TradingView</title>'
test.for([
  ['401', 401, {}, 'session'],
  ['403 about the login', 403, recorded.loggedOut, 'session'],
  ['a page for strangers', 200, '<html class="is-not-authenticated"></html>', 'session'],
  ['any other page', 200, page, 'session'],
  ['403 about the owner', 403, recorded.notOwner, 'not_yours'],
  ['a page with 403', 403, page, 'blocked'],
  ['a page with 400', 400, page, 'blocked'],
  ['404', 404, { detail: 'Not found.' }, 'no_such_script'],
  ['422', 422, { detail: 'User does not exist.' }, 'no_such_name'],
  ['429', 429, {}, 'passing'],
  ['500', 500, 'Internal Server Error', 'passing'],
  ['half a JSON text', 200, '{"results":[{"id"', 'passing'],
  ['a list without rows', 200, { people: [] }, 'unknown'],
  ['a list that continues elsewhere', 200, { results: [], next: 'https://evil.example/?c=1' }, 'unknown'],
  ['302', 302, '', 'unknown'],
] as const)('an answer with %s is the failure that it means', async ([, status, body, kind]) => {
  setAnswers({ status, body })
  await expect(client.people(pineId)).rejects.toMatchObject({ kind })
})
