import { access } from '#contract/access/access.ts'
import { accessAdmin } from '#contract/access/access-admin.ts'
import { accounts } from '#contract/identity/accounts.ts'
import { purchases } from '#contract/selling/purchases.ts'
import { contact } from '#contract/site/contact.ts'
import { newsletter } from '#contract/site/newsletter.ts'
import { openShop } from './open-shop.ts'
import type { Visitor } from './visitor.ts'

/** What a shop looked like from outside, for comparison with what a later release shows for the same data. */
export type Seen = {
  /** The shop's time at that moment. */
  at: string
  secretsKey: string
  /** The cookies of everyone who was logged in. */
  people: Record<string, Record<string, string>>
  passwords: Record<string, { email: string; password: string }>
  /** The answer to each path, by person. */
  answers: Record<string, Record<string, Answer>>
  /** What only a later release finishes. */
  begun: {
    resetToken: string
    newsletterLink: { id: string; token: string }
    checkout: { clientSecret: string; paymentIntentId: string }
    keys: { apiKey: string; secretKey: string }
  }
}
type Answer = { status: number; body: unknown }

const keys = { apiKey: 'key of then', secretKey: 'secret of then' }
const passwordOf = (name: string) => `password of ${name}`

/** A month of a shop through its front door: every kind of person and purchase, and something half done in most rooms. */
export async function live(databaseUrl: string, secretsKey: string): Promise<Seen> {
  const shop = await openShop({ databaseUrl, env: { SECRETS_KEY: secretsKey } })
  const admin = await shop.admin()
  const person = (name: string) =>
    shop.user({ name: `${name} Trader`, email: `${name}@example.com`, password: passwordOf(name) })
  const ask = (name: string) => ({ exchangeName: 'Kraken', tradingViewUsername: `${name}_trades`, ...keys })

  const [ada, carla, david] = [await person('ada'), await person('carla'), await person('david')]
  const [emil, farah] = [await person('emil'), await person('farah')]
  const adas = await shop.buy(ada)
  const carlas = await shop.buy(carla, { billing: 'yearly' })
  const davids = await shop.buy(david, { laterCard: 'pm_card_chargeCustomerFail' })
  const emils = await shop.buy(emil)
  const farahs = await shop.buy(farah, { billing: 'yearly' })
  await ada.call(access.submitForPurchase, { purchaseId: adas.id, ...ask('ada') })
  await david.call(access.submitForPurchase, { purchaseId: davids.id, ...ask('david') })
  await emil.call(access.submitForPurchase, { purchaseId: emils.id, ...ask('emil') })
  await shop.settle()
  const queue = await admin.call(accessAdmin.todo, { kind: 'unlock', limit: 100 })
  const asked = queue.filter(({ user }) => user.email.endsWith('@example.com'))
  await admin.call(accessAdmin.grant, { ids: asked.map(({ id }) => id) })
  await emil.call(purchases.cancel, { id: emils.id })
  await admin.call(purchases.adminRefund, { id: farahs.id, amount: 1000, refundedSoFar: 0 })
  await shop.visitor().call(newsletter.subscribe, { email: 'reader@example.com' })
  await shop
    .visitor()
    .call(contact.send, {
      firstName: 'Grace',
      lastName: 'Håland',
      email: 'grace@example.com',
      message: 'tab\t, line\nbreak, back\\slash and \\.',
    })
  await shop.advance(1, 'month')

  // Sessions do not last that long.
  for (const { user, password, call } of [admin, ada, carla, david, emil, farah])
    await call(accounts.login, { email: user.email, password })
  await carla.call(purchases.cancel, { id: carlas.id })
  const ben = shop.visitor()
  const { paymentIntentId } = await shop.guest(ben, 'ben@example.com')
  await shop.logInGuest(ben, { paymentIntentId })
  await ben.call(access.submit, { paymentIntentId, ...ask('ben') })
  const unpaid = await shop.begin(shop.visitor(), { email: 'gina@example.com' })
  await ada.call(accounts.requestPasswordReset, { email: 'ada@example.com' })
  await shop.settle()

  const mails = await shop.mails()
  const linkIn = (to: string, subject: RegExp) => {
    const mail = mails.findLast((each) => each.to === to && subject.test(each.subject))
    const link = /https?:\/\/\S+[?&](?:token|id)=\S+/.exec(mail?.text ?? '')?.[0]
    if (!link) throw new Error(`There is no link in an email to ${to} about ${String(subject)}`)
    return new URL(link).searchParams
  }
  const reset = linkIn('ada@example.com', /reset/i)
  const newsletterLink = linkIn('reader@example.com', /confirm/i)

  const people = { admin, ada, ben, carla, david, emil, farah }
  const answers: Seen['answers'] = {}
  for (const [name, visitor] of Object.entries(people))
    answers[name] = await lookAround(visitor, shop.url, name === 'admin' ? sellersPaths : buyersPaths)
  const now = await shop.sandbox.controls.now()
  await shop.close()
  await writeWhileTheMailServerIsAway(databaseUrl, secretsKey)

  return {
    at: new Date(now * 1000).toISOString(),
    secretsKey,
    people: byName(people, ({ cookies }) => Object.fromEntries(cookies)),
    passwords: byName({ admin, ada, carla, david, emil, farah }, ({ user, password }) => ({
      email: user.email,
      password,
    })),
    answers,
    begun: {
      resetToken: reset.get('token') ?? '',
      newsletterLink: { id: newsletterLink.get('id') ?? '', token: newsletterLink.get('token') ?? '' },
      checkout: unpaid,
      keys,
    },
  }
}

const byName = <Given, Made>(people: Record<string, Given>, make: (person: Given) => Made) =>
  Object.fromEntries(Object.entries(people).map(([name, each]) => [name, make(each)]))

const buyersPaths = ['/api/user', '/api/user/profile', '/api/purchases', '/api/access', '/api/recommended-assets']
const sellersPaths = [
  '/api/admin/overview',
  '/api/admin/users?limit=100',
  '/api/admin/purchases?limit=100',
  '/api/admin/access/todo?limit=100',
  '/api/admin/access/people?limit=100',
  '/api/admin/recommended-assets',
  // Searched by a word, because opening the exports below is logged too.
  '/api/admin/audit?q=access.granted',
  '/api/admin/audit?q=purchase.refund',
  '/api/admin/reminders',
  '/api/admin/failed-jobs',
  '/api/admin/export/buyers',
  '/api/admin/export/orders',
  '/api/admin/export/forms',
]

async function lookAround(visitor: Visitor, url: string, paths: string[]) {
  const bought = await visitor.call(purchases.list, {})
  const invoices = bought.map(({ id }) => `/api/purchases/${id}/invoices`)
  const answers: Record<string, Answer> = {}
  for (const path of [...paths, ...invoices]) answers[path] = await look(visitor, path, url)
  return answers
}

/** A refusal is an answer too; its wording may change. The shop's own address may be different next time. */
export async function look(visitor: Visitor, path: string, url: string): Promise<Answer> {
  const response = await visitor.fetch(path)
  const text = (await response.text()).replaceAll(url, 'http://shop')
  if (!response.ok) return { status: response.status, body: undefined }
  const isJson = response.headers.get('content-type')?.startsWith('application/json')
  return { status: response.status, body: isJson ? JSON.parse(text) : text.split('\n') }
}

/** Its email waits in the queue when the shop stops: the next release must send it. */
async function writeWhileTheMailServerIsAway(databaseUrl: string, secretsKey: string) {
  const shop = await openShop({ databaseUrl, env: { SECRETS_KEY: secretsKey, SMTP_URL: 'smtp://127.0.0.1:9' } })
  await shop
    .visitor()
    .call(contact.send, {
      firstName: 'Hugo',
      lastName: 'Waits',
      email: 'hugo@example.com',
      message: 'Sent while the mail server was away',
    })
  await shop.queue.idle()
  await shop.close()
}
