import { exactDollars } from '#contract/money.ts'
import type { Finding } from '#contract/selling/stripe-setup.ts'
import type { WantedPrice } from '#server/gateways/stripe.ts'

export type About = Finding['about']

export const command = '`npm run stripe -- setup`'
export const list = (items: string[]) => new Intl.ListFormat('en-US').format(items)
export const count = (items: unknown[], what: string) =>
  `${items.length} ${what}${items.length === 1 ? '' : 's'}`
export const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

export const ok = (about: About, text: string): Finding => ({ about, state: 'ok', text })
export const todo = (about: About, text: string): Finding => ({ about, state: 'todo', text })
export const note = (about: About, text: string): Finding => ({ about, state: 'note', text })

export const inWords = ({ amount, interval }: WantedPrice) => `${exactDollars(amount)} per ${interval}`

/** The shop's own address, as Stripe needs to know it. */
export function addressOf(publicUrl: string) {
  const { hostname } = new URL(publicUrl)
  const isLocal = /^(localhost|127\.|\[::1\])/.test(hostname)
  return { webhookUrl: `${publicUrl}/api/webhooks/stripe`, hostname, isLocal }
}
