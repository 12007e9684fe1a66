import { accounts } from '#contract/identity/accounts.ts'
import { purchases } from '#contract/selling/purchases.ts'
import { openBrowser } from '#scripts/find-browser.ts'
import freshWeb from '#scripts/fresh-web.ts'
import { reboundSigmaPro } from '#server/testing/book-purchase.ts'
import { createVisitor } from '#server/testing/visitor.ts'
import { tableOf } from './bench/compare.ts'
import { interactions } from './bench/interactions.ts'
import { pageLoads, slowPhone } from './bench/page-load.ts'
import { fillShop, openLab, size } from './lab/lab.ts'
import { seller } from './lab/shop-process.ts'

/** `npm run proof -- pages`: how much work pages are for a browser, and how fast they respond. `--quick` uses a small shop. */
await freshWeb()
const lab = await openLab()
const shop = await lab.openShop()
const browser = await openBrowser('--disable-gpu')
try {
  // Before filling the shop: PostgreSQL is busy cleaning up for minutes afterward.
  const loads = await pageLoads(browser, shop.url)
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

  const people = { url: shop.url, user: buyer.cookies, admin: admin.cookies }
  const felt = await slowPhone(browser, people)
  const usual = await interactions(browser, people)
  const slow = await interactions(browser, people, { rounds: 1, slower: 4 })

  const lines = [...loads, ...felt, usual.line, slow.line]
  console.log(`\n${size.users} users, ${size.purchases} purchases\n\n${tableOf(lines)}\n`)
  console.log('| page | interaction | to the next paint | total main-thread CPU |\n|---|---|---|---|')
  for (const { page, act, milliseconds, cpu } of usual.all)
    console.log(`| ${page} | ${act} | ${milliseconds} ms | ${cpu.toFixed(0)} ms |`)
  if (lines.some(({ ok }) => ok === false)) process.exitCode = 1
} finally {
  await browser.close()
  await shop.close()
  await lab.close()
}
