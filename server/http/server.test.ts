import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openShop, type TestShop } from '../testing/open-shop.ts'

let shop: TestShop
beforeAll(async () => {
  shop = await openShop()
})
afterAll(() => shop.close())

async function answerTo(lines: string[]) {
  const socket = connect(shop.config.port, 'localhost')
  await once(socket, 'connect')
  socket.end(`${lines.join('\r\n')}\r\n\r\n`)
  return text(socket)
}

describe('a request that the router refuses', () => {
  const refusedPaths = [
    ['an encoding that means nothing', '/api/reviews/%zz'],
    ['a parameter without end', `/api/admin/users/${'x'.repeat(3000)}`],
  ] as const

  test.for(refusedPaths)('gets the usual error response, which does not repeat the path: %s', async ([, path]) => {
    const response = await fetch(shop.url + path)
    expect([400, 404, 414]).toContain(response.status)
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(await response.json()).toEqual({ message: 'The request could not be read', code: 'unreadable' })
  })
})

test('two Host headers are refused, whichever path is asked for', async () => {
  const host = `Host: localhost:${shop.config.port}`
  for (const path of ['/', '/api/health', '/dev/mails']) {
    const withOneHost = await answerTo([`GET ${path} HTTP/1.1`, host, 'Connection: close'])
    expect(withOneHost).not.toMatch(/^HTTP\/1.1 400/)
    const withTwoHosts = await answerTo([`GET ${path} HTTP/1.1`, host, 'host: evil.example', 'Connection: close'])
    expect(withTwoHosts).toMatch(/^HTTP\/1.1 400/)
    expect(withTwoHosts).toContain('x-content-type-options: nosniff')
    expect(withTwoHosts).toContain('The request could not be read')
  }
})

describe('input that nobody could mean is refused with a sentence', () => {
  const post = (path: string, body: string) =>
    shop.visitor().fetch(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body })

  test('a passkey nested ten thousand times', async () => {
    const nested = '['.repeat(20_000) + ']'.repeat(20_000)
    const response = await post('/api/auth/passkey', `{"response":{"id":${nested}}}`)
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ message: 'This passkey could not be read' })
  })

  test('a cancellation in the year 0', async () => {
    const response = await post(
      '/api/declarations/cancellation',
      JSON.stringify({
        name: 'Ada Lovelace',
        contract: 'RS-1234',
        email: 'ada@example.com',
        grounds: 'ordinary',
        endsOn: '0000-01-01',
      }),
    )
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ fields: { endsOn: 'Please enter a date' } })
  })
})
