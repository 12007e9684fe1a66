import { afterAll, beforeAll, expect, test } from 'vitest'
import { accounts } from '#contract/identity/accounts.ts'
import { purchases } from '#contract/selling/purchases.ts'
import { reviews } from '#contract/site/reviews.ts'
import { reviewsAdmin } from '#contract/site/reviews-admin.ts'
import { openShop, type TestShop } from '#server/testing/open-shop.ts'
import { reviewSummary } from './reviews.ts'

let shop: TestShop
let buyer: Awaited<ReturnType<TestShop['buyer']>>
let refundedBuyer: typeof buyer
let admin: Awaited<ReturnType<TestShop['admin']>>
const review = { stars: 4, text: 'Few signals, but clear ones. Good support.', author: 'Ada' }
const invitations = async () =>
  (await shop.mails()).filter(({ subject }) => subject === 'How do you like Rebound Sigma Pro?')
const login = (person: typeof buyer) =>
  person.call(accounts.login, { email: person.user.email, password: person.password })

beforeAll(async () => {
  shop = await openShop()
  ;[buyer, refundedBuyer] = [await shop.buyer(), await shop.buyer()]
})
afterAll(() => shop.close())

test('nobody can write a review, or is invited to, before 30 paid days', async () => {
  await shop.queue.runNow('invite-reviews')
  expect(await invitations()).toEqual([])
  const mine = await buyer.call(reviews.mine, {})
  expect(mine).toMatchObject({ mayWrite: false, review: null, product: null })
  expect(Date.parse(mine.mayWriteFrom ?? '')).toBeGreaterThan(shop.clock.now().getTime() + 29 * 86_400_000)
  await expect(buyer.call(reviews.write, review)).rejects.toMatchObject({ status: 403 })
})

test('a buyer is invited once after 30 paid days, but not after a refund', async () => {
  await shop.sandbox.controls.refund(refundedBuyer.purchase.paymentIntentId ?? '')
  await shop.advance(31, 'day')
  // Sessions have ended meanwhile.
  admin = await shop.admin()
  await login(buyer)
  await login(refundedBuyer)
  for (let day = 0; day < 2; day++) await shop.queue.runNow('invite-reviews')
  expect((await invitations()).map(({ to }) => to)).toEqual([buyer.user.email])
  await expect(refundedBuyer.call(reviews.write, review)).rejects.toMatchObject({ status: 403 })
})

test('a review is public immediately, good or bad, and each buyer writes one', async () => {
  await expect(buyer.call(reviews.write, { ...review, text: 'Go to www.scam.example now' })).rejects.toMatchObject({
    status: 400,
  })
  await buyer.call(reviews.write, { ...review, stars: 2 })
  await expect(buyer.call(reviews.write, review)).rejects.toMatchObject({ status: 409 })
  const visitor = shop.visitor()
  expect(await visitor.call(reviews.list, {})).toMatchObject([{ ...review, stars: 2, answer: null }])
  expect(await reviewSummary(shop.connection.db)).toEqual({ count: 1, average: 2, byStars: [0, 1, 0, 0, 0] })
  expect((await shop.mails()).at(-1)?.subject).toBe('New review: 2 of 5 stars')
  const data = await (await buyer.fetch(accounts.myData.path)).json()
  expect(data.reviews).toMatchObject([{ stars: 2, text: review.text }])
})

test('the seller answers a review, and can hide only a reported one; its stars and the reason stay visible', async () => {
  const visitor = shop.visitor()
  const [listed] = await visitor.call(reviews.list, {})
  const id = listed?.id ?? ''
  await admin.call(reviewsAdmin.answer, { id, answer: 'Thank you for trying it.' })
  expect(await visitor.call(reviews.list, {})).toMatchObject([{ answer: 'Thank you for trying it.' }])
  await expect(admin.call(reviewsAdmin.hide, { id, reason: 'I dislike it' })).rejects.toMatchObject({ status: 409 })
  await visitor.call(reviews.report, { id, reason: 'It names me.' })
  expect((await shop.mails()).at(-1)?.subject).toBe('A review was reported')
  expect(await admin.call(reviewsAdmin.list, {})).toMatchObject([{ id, report: 'It names me.' }])
  expect(JSON.stringify(await visitor.call(reviews.list, {}))).not.toContain('It names me.')
  await admin.call(reviewsAdmin.hide, { id, reason: 'It named a private person.' })
  expect(await visitor.call(reviews.list, {})).toMatchObject([
    { text: '', author: null, stars: 2, hiddenBecause: 'It named a private person.' },
  ])
  expect(await reviewSummary(shop.connection.db)).toEqual({ count: 1, average: 2, byStars: [0, 1, 0, 0, 0] })
  expect((await shop.mails()).at(-1)).toMatchObject({ to: buyer.user.email, subject: 'Your review was hidden' })
})

test('an author may show since when they have been paying, until the subscription ends', async () => {
  const author = await shop.buyer()
  await shop.advance(31, 'day')
  await login(author)
  await author.call(reviews.write, { ...review, stars: 5, author: 'Mara', showsPayingSince: true })
  const visitor = shop.visitor()
  const payingSince = async () => (await visitor.call(reviews.list, {})).map((listed) => listed.payingSince)
  expect(await payingSince()).toEqual([author.purchase.createdAt, null])
  await author.call(purchases.cancel, { id: author.purchase.id })
  expect(await payingSince()).toEqual([author.purchase.createdAt, null])
  await shop.advance(31, 'day')
  expect(await payingSince()).toEqual([null, null])
})

test('reviews are sorted by time or by stars, page by page', async () => {
  const visitor = shop.visitor()
  const starsOf = async (sort: 'newest' | 'highest' | 'lowest') => {
    const [first] = await visitor.call(reviews.list, { sort, limit: 1 })
    const response = await visitor.fetch(`${reviews.list.path}?sort=${sort}&limit=1`)
    const next = /cursor=([^&>]+)/.exec(response.headers.get('link') ?? '')?.[1]
    const [second] = await visitor.call(reviews.list, { sort, limit: 1, cursor: next })
    return [first?.stars, second?.stars]
  }
  expect(await starsOf('highest')).toEqual([5, 2])
  expect(await starsOf('lowest')).toEqual([2, 5])
  expect(await starsOf('newest')).toEqual([5, 2])
})

test('a deleted author becomes anonymous, and the review stays', async () => {
  const author = await shop.buyer()
  await shop.advance(31, 'day')
  await login(author)
  await author.call(reviews.write, { ...review, author: 'Grace' })
  expect(await author.call(purchases.list, {})).toMatchObject([{ status: 'active' }])
  await author.call(accounts.deleteMyself, { password: author.password })
  const all = await shop.visitor().call(reviews.list, {})
  expect(all[0]).toMatchObject({ ...review, author: null })
  expect(all).toHaveLength(3)
})
