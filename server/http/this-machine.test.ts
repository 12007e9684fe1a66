import { once } from 'node:events'
import { request } from 'node:http'
import { expect, test } from 'vitest'
import { openShop } from '../testing/open-shop.ts'
import { production } from '../testing/production.ts'

const paths = ['/dev/mails', '/dev/mails/raw?mail=receipt', '/_sandbox/', '/metrics']

async function statusesOf(port: number, headers: Record<string, string>) {
  const statuses: number[] = []
  for (const path of paths) {
    const outgoing = request({ host: 'localhost', port, path, headers }).end()
    const [response] = await once(outgoing, 'response')
    response.resume()
    statuses.push(response.statusCode)
  }
  return new Set(statuses)
}

test('emails, test payments and metrics are shown only on this machine', async () => {
  await using shop = await openShop()
  const { port } = shop.config
  for (const host of [`localhost:${port}`, `127.0.0.1:${port}`, `[::1]:${port}`, 'shop.localhost', 'LOCALHOST'])
    expect([host, await statusesOf(port, { host })]).toEqual([host, new Set([200])])
  // A site whose name suddenly points to this machine (DNS rebinding), plus proxies and tunnels.
  for (const host of ['evil.example', `evil.example:${port}`, 'localhost.evil.example', '192.168.1.7', '0.0.0.0'])
    expect([host, await statusesOf(port, { host })]).toEqual([host, new Set([404])])
  for (const name of [
    'x-forwarded-for',
    'x-forwarded-host',
    'forwarded',
    'x-forwarded',
    'via',
    'x-real-ip',
    'cf-connecting-ip',
  ])
    expect([name, await statusesOf(port, { host: 'localhost', [name]: '127.0.0.1' })]).toEqual([name, new Set([404])])
})

test('a site whose name points to this machine cannot press the sandbox’s buttons', async () => {
  await using shop = await openShop()
  const host = `evil.example:${shop.config.port}`
  const outgoing = request({
    host: 'localhost',
    port: shop.config.port,
    path: '/_sandbox/controls/advance',
    method: 'POST',
    headers: { host, origin: `http://${host}`, 'sec-fetch-site': 'same-origin' },
  }).end('interval=year')
  const [response] = await once(outgoing, 'response')
  expect(response.statusCode).toBe(404)
})

test('in production none of these pages exist, except metrics with their token', async () => {
  await using shop = await openShop({ env: production })
  const { port } = shop.config
  expect(await statusesOf(port, { host: 'localhost' })).toEqual(new Set([404]))
  await using measured = await openShop({ env: { ...production, METRICS_TOKEN: 'a-long-token-of-the-seller' } })
  const read = (headers: Record<string, string>) =>
    fetch(`http://localhost:${measured.config.port}/metrics`, { headers }).then(({ status }) => status)
  expect(await read({})).toBe(404)
  expect(await read({ authorization: 'Bearer a-long-token-of-the-seller' })).toBe(200)
})
