import { expect, test } from 'vitest'
import { openShop } from '../testing/open-shop.ts'
import { production } from '../testing/production.ts'

test('the preview shows every email, and doesn’t exist in production', async () => {
  await using shop = await openShop()
  const page = await shop.app.inject('/dev/mails?mail=receipt')
  expect(page.statusCode).toBe(200)
  expect(page.body).toContain('Your receipt: Rebound Sigma Pro')
  await shop.user({ email: 'ada@example.com' })
  await shop.mails()
  const { body } = await shop.app.inject('/dev/mails')
  expect(body.indexOf('ada@example.com')).toBeLessThan(body.indexOf('?mail=receipt'))
  expect(body).toMatch(/aria-current="page">[^<]*<\/a><small>ada@example.com/)
  expect((await shop.app.inject('/dev/mails/raw?mail=no-such-mail')).statusCode).toBe(404)

  await using live = await openShop({ env: production })
  for (const path of ['/dev/mails', '/dev/mails/raw?mail=receipt'])
    expect((await live.app.inject(path)).statusCode).toBe(404)
})
