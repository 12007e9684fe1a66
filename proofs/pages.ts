import { accounts } from '#contract/identity/accounts.ts'
import { purchases } from '#contract/selling/purchases.ts'
import { openBrowser } from '#scripts/find-browser.ts'
import freshWeb from '#scripts/fresh-web.ts'
import { reboundSigmaPro } from '#server/testing/book-purchase.ts'
import { createVisitor } from '#server/testing/visitor.ts'
import { line, tableOf } from './bench/compare.ts'
import { interactions } from './bench/interactions.ts'
import { type Session, slowPhone } from './bench/page-load.ts'
import { fillShop, openLab, size } from './lab/lab.ts'
import { seller } from './lab/shop-process.ts'

/** `npm run proof -- pages`: how fast pages appear on a slow phone, and how fast they respond. `--quick` uses a small shop. */
await freshWeb()
const lab = await openLab()
const shop = await lab.openShop()
const browser = await openBrowser('--disable-gpu')
try {
  fillShop(shop)
  const [admin, buyer] = [createVisitor(shop.url), createVisitor(shop.url)]
  await admin.call(accounts.login, seller)
  const { id: userId } = await buyer.call(accounts.register, {
    email: 'buyer@bench.example',
    password: 'a long password for the bench',
    name: 'Ada Lovelace',
  })
  await admin.call(purchases.adminAdd, {
    userId,
    productId: reboundSigmaPro.id,
    billingType: 'monthly',
    amount: 3900,
    status: 'active',
  })
  const sessionFor = (path: string): Session => {
    if (path.startsWith('/admin')) return admin.cookies
    return path === '/dashboard' ? buyer.cookies : new Map()
  }
  const lines = [
    ...(await slowPhone(browser, shop.url, sessionFor)),
    ...(await interactions(browser, shop.url, sessionFor)).map(([act, milliseconds]) =>
      line(act, `${milliseconds} ms to the next paint`, 'under 50 ms', milliseconds < 50),
    ),
  ]
  console.log(`\n${size.users} users, ${size.purchases} purchases\n\n${tableOf(lines)}\n`)
  if (lines.some(({ ok }) => ok === false)) process.exitCode = 1
} finally {
  await browser.close()
  await shop.close()
  await lab.close()
}
