import { afterAll, beforeAll, expect, test } from 'vitest'
import { accounts } from '#contract/identity/accounts.ts'
import { purchases } from '#contract/selling/purchases.ts'
import { reviews } from '#contract/site/reviews.ts'
import { openShop, type TestShop } from '#server/testing/open-shop.ts'
import { reviewSummary } from './reviews.ts'

let shop: TestShop
let buyer: Awaited<ReturnType<TestShop['buyer']>>
let early: typeof buyer
let admin: Awaited<ReturnType<TestShop['admin']>>
const told = { stars: 4, text: 'Few signals, but clear ones. Good support.', author: 'Ada' }
const invited = async () =>
  (await shop.mails()).filter(({ subject }) => subject === 'How do you like Rebound Sigma Pro?')
const login = (person: typeof buyer) =>
  person.call(accounts.login, { email: person.user.email, password: person.password })

beforeAll(async () => {
  shop = await openShop()
  ;[buyer, early] = [await shop.buyer(), await shop.buyer()]
})
afterAll(() => shop.close())

test('nobody writes before 30 paid days, or is asked to', async () => {
  await shop.queue.runNow('invite-reviews')
  expect(await invited()).toEqual([])
  const mine = await buyer.call(reviews.mine, {})
  expect(mine).toMatchObject({ mayWrite: false, review: null, product: null })
  expect(Date.parse(mine.mayWriteFrom ?? '')).toBeGreaterThan(shop.clock.now().getTime() + 29 * 86_400_000)
  await expect(buyer.call(reviews.write, told)).rejects.toMatchObject({ status: 403 })
})

test('whoever has paid that long is asked once, and whoever got the money back is not', async () => {
  await shop.sandbox.controls.refund(early.purchase.paymentIntentId ?? '')
  await shop.advance(31, 'day')
  admin = await shop.admin()
  await login(buyer)
  await login(early)
  for (let day = 0; day < 2; day++) await shop.queue.runNow('invite-reviews')
  expect((await invited()).map(({ to }) => to)).toEqual([buyer.user.email])
  await expect(early.call(reviews.write, told)).rejects.toMatchObject({ status: 403 })
})

test('a review is public at once, good or bad, and there is one each', async () => {
  await expect(buyer.call(reviews.write, { ...told, text: 'Go to www.scam.example now' })).rejects.toMatchObject({
    status: 400,
  })
  await buyer.call(reviews.write, { ...told, stars: 2 })
  await expect(buyer.call(reviews.write, told)).rejects.toMatchObject({ status: 409 })
  const visitor = shop.visitor()
  expect(await visitor.call(reviews.list, {})).toMatchObject([{ ...told, stars: 2, answer: null }])
  expect(await reviewSummary(shop.connection.db)).toEqual({ count: 1, average: 2, byStars: [0, 1, 0, 0, 0] })
  expect((await shop.mails()).at(-1)?.subject).toBe('New review: 2 of 5 stars')
  const data = await (await buyer.fetch(accounts.myData.path)).json()
  expect(data.reviews).toMatchObject([{ stars: 2, text: told.text }])
})

test('the seller answers, and hides only what was reported, with a reason and the stars', async () => {
  const visitor = shop.visitor()
  const [review] = await visitor.call(reviews.list, {})
  const id = review?.id ?? ''
  await admin.call(reviews.adminAnswer, { id, answer: 'Thank you for trying it.' })
  expect(await visitor.call(reviews.list, {})).toMatchObject([{ answer: 'Thank you for trying it.' }])
  await expect(admin.call(reviews.adminHide, { id, reason: 'I dislike it' })).rejects.toMatchObject({ status: 409 })
  await visitor.call(reviews.report, { id, reason: 'It names me.' })
  expect((await shop.mails()).at(-1)?.subject).toBe('A review was reported')
  expect(await admin.call(reviews.adminList, {})).toMatchObject([{ id, report: 'It names me.' }])
  expect(JSON.stringify(await visitor.call(reviews.list, {}))).not.toContain('It names me.')
  await admin.call(reviews.adminHide, { id, reason: 'It named a private person.' })
  expect(await visitor.call(reviews.list, {})).toMatchObject([
    { text: '', author: null, stars: 2, hiddenBecause: 'It named a private person.' },
  ])
  expect(await reviewSummary(shop.connection.db)).toEqual({ count: 1, average: 2, byStars: [0, 1, 0, 0, 0] })
  expect((await shop.mails()).at(-1)).toMatchObject({ to: buyer.user.email, subject: 'Your review was hidden' })
})

test('a review says since when its author has been paying, if they like, until the subscription ends', async () => {
  const paying = await shop.buyer()
  await shop.advance(31, 'day')
  await login(paying)
  await paying.call(reviews.write, { ...told, stars: 5, author: 'Mara', showsPayingSince: true })
  const visitor = shop.visitor()
  const payingSince = async () => (await visitor.call(reviews.list, {})).map((each) => each.payingSince)
  expect(await payingSince()).toEqual([paying.purchase.createdAt, null])
  await paying.call(purchases.cancel, { id: paying.purchase.id })
  expect(await payingSince()).toEqual([paying.purchase.createdAt, null])
  await shop.advance(31, 'day')
  expect(await payingSince()).toEqual([null, null])
})

test('reviews are sorted by time or by stars, page by page', async () => {
  const visitor = shop.visitor()
  const starsOf = async (sort: 'newest' | 'highest' | 'lowest') => {
    const [first] = await visitor.call(reviews.list, { sort, limit: 1 })
    const answer = await visitor.fetch(`${reviews.list.path}?sort=${sort}&limit=1`)
    const next = /cursor=([^&>]+)/.exec(answer.headers.get('link') ?? '')?.[1]
    const [second] = await visitor.call(reviews.list, { sort, limit: 1, cursor: next })
    return [first?.stars, second?.stars]
  }
  expect(await starsOf('highest')).toEqual([5, 2])
  expect(await starsOf('lowest')).toEqual([2, 5])
  expect(await starsOf('newest')).toEqual([5, 2])
})

test('a deleted author becomes anonymous, and the review stays', async () => {
  const other = await shop.buyer()
  await shop.advance(31, 'day')
  await login(other)
  await other.call(reviews.write, { ...told, author: 'Grace' })
  expect(await other.call(purchases.list, {})).toMatchObject([{ status: 'active' }])
  await other.call(accounts.deleteMyself, { password: other.password })
  const all = await shop.visitor().call(reviews.list, {})
  expect(all[0]).toMatchObject({ ...told, author: null })
  expect(all).toHaveLength(3)
})
