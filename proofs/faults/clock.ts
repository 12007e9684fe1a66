import { accounts } from '#contract/identity/accounts.ts'
import { checkout } from '#contract/selling/checkout.ts'
import { purchases } from '#contract/selling/purchases.ts'
import { newsletter } from '#contract/site/newsletter.ts'
import { compareBooks, countDifferent } from '#server/testing/books.ts'
import { openShop, type TestShop } from '#server/testing/open-shop.ts'
import { details, type Row } from './limits.ts'

const day = 24 * 60
/** After a jump of this many minutes, whether tokens issued earlier should still work. */
const jumps = [
  { name: '+10 min', minutes: 10, works: true },
  { name: '+31 d', minutes: 31 * day, works: false },
  { name: '+366 d', minutes: 366 * day, works: false },
]

export const clockJumps: Row = {
  name: 'clock jumps',
  async run({ shop: { stop, databaseUrl, query } }) {
    await stop()
    await using shop = await openShop({ databaseUrl })
    const wrong: string[] = []
    const seen: string[] = []
    for (const { name, minutes, works } of jumps) {
      const { buyers, tokens } = await prepare(shop, name)
      await shop.advance(minutes, 'minute')
      for (const schedule of ['tidy-accounts', 'forget-expired-sessions', 'forget-newsletter-addresses'])
        await shop.queue.runNow(schedule)
      let [working, paid] = [0, 0]
      for (const [token, use] of Object.entries(tokens)) {
        const worked = await use()
        if (worked) working += 1
        if (worked !== works) wrong.push(`${token} at ${name}`)
      }
      for (const buyer of buyers) {
        await buyer.call(accounts.login, { email: buyer.user.email, password: buyer.password })
        const [purchase] = await buyer.call(purchases.list, {})
        const paidUntil = new Date(purchase?.currentPeriodEnd ?? 0)
        if (purchase?.status === 'active' && paidUntil > shop.clock.now()) paid += 1
        else wrong.push(`a ${purchase?.billingType} subscription at ${name}`)
      }
      const books = await compareBooks(shop)
      const different = countDifferent(books)
      if (different > 0) wrong.push(`the books at ${name}`)
      seen.push(
        `${name}: ${working} of ${Object.keys(tokens).length} tokens work, ${paid} of ${buyers.length} subscriptions paid, ${different} of ${books.booked.length} purchases differ from the payment side`,
      )
    }
    const [renewed] = await query<{ count: number }>(
      `select count(*)::int as count from sandbox.objects where kind = 'invoice' and data->>'billing_reason' = 'subscription_cycle'`,
    )
    const renewals = renewed?.count ?? 0
    return {
      ok: wrong.length === 0 && renewals > 0,
      figures: `${seen.join('; ')}; ${renewals} renewals${details(wrong)}`,
    }
  },
}

/** Everything that expires, each with a way to use it, plus monthly and yearly buyers. */
async function prepare(shop: TestShop, name: string) {
  const [loggedIn, forgetful, guest] = [await shop.user(), await shop.user(), shop.visitor()]
  const buyers = [await shop.buyer({ billing: 'monthly' }), await shop.buyer({ billing: 'yearly' })]
  const reader = `reader${name.replaceAll(/\W/g, '')}@lab.example`
  await shop.visitor().call(newsletter.subscribe, { email: reader })
  await shop.visitor().call(accounts.requestPasswordReset, { email: forgetful.user.email })
  const { paymentIntentId } = await shop.guest(guest)
  const mails = await shop.mails()
  const linkTo = (to: string, place: string) => {
    const text = mails.findLast((mail) => mail.to === to && mail.text.includes(place))?.text ?? ''
    const { searchParams } = new URL(/https?:\/\/\S+[?&]token=[^\s>]+/.exec(text)?.[0] ?? '')
    return { id: searchParams.get('id') ?? '', token: searchParams.get('token') ?? '' }
  }
  const confirmation = linkTo(reader, '/newsletter/confirm')
  const { token } = linkTo(forgetful.user.email, '/reset-password')
  const works = (call: Promise<unknown>) =>
    call.then(
      () => true,
      () => false,
    )
  return {
    buyers,
    tokens: {
      'a session': async () => (await loggedIn.call(accounts.user, {})) !== null,
      'a reset link': () =>
        works(shop.visitor().call(accounts.resetPassword, { token, newPassword: 'a new password' })),
      "a reader's consent": () => works(shop.visitor().call(newsletter.confirm, confirmation)),
      "a guest's return": () => works(guest.call(checkout.guestPurchaseLogin, { paymentIntentId })),
    },
  }
}
