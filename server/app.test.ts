import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '#contract/index.ts'
import { openShop, type TestShop } from './testing/open-shop.ts'

let shop: TestShop
beforeAll(async () => {
  shop = await openShop()
})
afterAll(() => shop.close())

describe('the whole shop', () => {
  test('reports that it is alive and ready to serve', async () => {
    const { fetch } = shop.visitor()
    expect((await fetch('/healthz')).status).toBe(200)
    expect(await (await fetch('/readyz')).json()).toEqual({ database: true, jobs: true })
  })

  test('answers a call of the contract', async () => {
    const [product] = await shop.visitor().call(contract.catalog.list, {})
    expect(product).toMatchObject({ name: 'Rebound Sigma Pro', monthlyPrice: 3900, yearlyPrice: 39000 })
  })

  test('refuses an unknown product with a readable message', async () => {
    await expect(shop.visitor().call(contract.catalog.product, { slug: 'nope' })).rejects.toMatchObject({
      status: 404,
      serverMessage: 'Product not found',
      message: '404: {"message":"Product not found","code":"not-found"}',
    })
  })

  test('refuses an unknown field', async () => {
    const response = await shop.visitor().fetch('/api/products?userId=1')
    expect(response.status).toBe(400)
    expect(await response.json()).toEqual({
      message: 'Unknown field: userId',
      code: 'invalid-input',
      fields: { '*': 'Unknown field: userId' },
    })
  })

  test('answers 404 as JSON under /api', async () => {
    const response = await shop.visitor().fetch('/api/nope')
    expect(response.status).toBe(404)
    expect(response.headers.get('content-type')).toContain('application/json')
  })

  test('documents every call in OpenAPI and on a page', async () => {
    const { fetch } = shop.visitor()
    const { paths, components } = (await (await fetch('/api/openapi.json')).json()) as {
      paths: Record<string, object>
      components: { schemas: { Refusal: { properties: { code: { enum: string[] } } } } }
    }
    const describedCalls = Object.values(paths).flatMap((path) => Object.keys(path))
    const contractCalls = Object.values(contract).flatMap((group) => Object.keys(group))
    expect(describedCalls).toHaveLength(contractCalls.length)
    expect(components.schemas.Refusal.properties.code.enum).toContain('price-changed')
    expect(paths['/api/purchases/confirm']).toMatchObject({ post: { responses: { 202: {} } } })
    expect(await (await fetch('/api/docs')).text()).toContain(
      '<b>POST</b> <code>/api/create-subscription-intent</code>',
    )
  })

  test('puts security headers on every kind of response', async () => {
    for (const path of ['/healthz', '/api/products', '/api/nope', '/nope']) {
      const { headers } = await shop.visitor().fetch(path)
      expect.soft(headers.get('x-content-type-options'), path).toBe('nosniff')
      expect.soft(headers.get('content-security-policy'), path).toContain("frame-ancestors 'none'")
    }
  })

  test.each([
    [
      '431',
      `GET /${'x'.repeat(20_000)} HTTP/1.1\r\n\r\n`,
      { message: 'The address or the headers of this request are too long', code: 'too-large' },
    ],
    [
      '400',
      'GET / HTTP/1.1\r\nno colon here\r\n\r\n',
      { message: 'The request could not be read', code: 'unreadable' },
    ],
    [
      '408',
      'POST /api/login HTTP/1.1\r\nhost: shop',
      { message: 'This request took too long to arrive', code: 'timed-out' },
    ],
  ])(
    'answers an unreadable request with %s, a readable message and the security headers',
    async (status, request, body) => {
      const socket = connect(Number(new URL(shop.url).port), '127.0.0.1')
      socket.write(request)
      const answer = await text(socket)
      expect(answer).toContain(`HTTP/1.1 ${status} `)
      expect(answer).toContain(JSON.stringify(body))
      expect(answer).toContain('x-content-type-options: nosniff')
      expect(answer).toContain('connection: close')
    },
  )
})
