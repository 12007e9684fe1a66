import { randomUUID } from 'node:crypto'
import { access } from '#contract/access/access.ts'
import { accessAdmin } from '#contract/access/access-admin.ts'
import { type OpenShopOptions, openShop } from './open-shop.ts'
import type { Visitor } from './visitor.ts'

export type ConnectedShop = Awaited<ReturnType<typeof openConnectedShop>>

export async function openConnectedShop(options: OpenShopOptions = {}) {
  const shop = await openShop({ ...options, env: { TRADINGVIEW: 'on', ...options.env } })
  const { tradingViewStandIn } = shop
  if (!tradingViewStandIn) throw new Error('Tests run with the TradingView stand-in')

  const accessOf = async (visitor: Visitor) => {
    await shop.settle()
    const [mine] = await visitor.call(access.mine, {})
    if (!mine) throw new Error('There is no live purchase')
    return mine
  }

  return Object.assign(shop, {
    tradingViewStandIn,
    async namedBuyer(username = `trader_${randomUUID().slice(0, 8)}`) {
      const visitor = await shop.user()
      const purchase = await shop.buy(visitor, { tradingViewUsername: username })
      return { ...visitor, purchase, paymentIntentId: purchase.paymentIntentId ?? '', username }
    },
    accessOf,
    async accessIdOf({ user }: { user: { email: string } }) {
      await shop.settle()
      const { items } = await (await shop.admin()).callPage(accessAdmin.people, { q: user.email })
      return items[0]?.id ?? ''
    },
    /** Usernames with access, by TradingView's own list. */
    async listed(pineId = tradingViewStandIn.scripts.indicator) {
      await shop.settle()
      return (await tradingViewStandIn.controls.people(pineId)).map(({ username }) => username)
    },
    async changes() {
      const calls = await tradingViewStandIn.controls.calls()
      return calls.filter(({ call }) => ['add', 'modify_user_expiration', 'remove'].includes(call))
    },
  })
}
