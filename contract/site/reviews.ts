import * as z from 'zod/mini'
import { endpoint } from '../endpoint.ts'
import { id, instant, pageFields, text } from '../fields.ts'
import { looksLikeLink, personName } from '../person-name.ts'

export const reviewsPerPage = 20

export const paidDaysToReview = 30

const stars = z
  .int('Please choose between one and five stars')
  .check(
    z.minimum(1, 'Please choose between one and five stars'),
    z.maximum(5, 'Please choose between one and five stars'),
  )

const withoutLinks = z.refine<string>(
  (typed) => !looksLikeLink(typed),
  'Please write it without links or email addresses',
)

export const newReview = z.strictObject({
  stars,
  text: text(1000, 'Please write a few words').check(
    z.minLength(20, 'Please write at least 20 characters'),
    withoutLinks,
  ),
  author: personName,
  showsPayingSince: z.optional(z.boolean()),
})

export const reviewOrders = ['newest', 'highest', 'lowest'] as const
export type ReviewOrder = (typeof reviewOrders)[number]

export const review = z.object({
  id,
  stars,
  /** Empty if the review is hidden. */
  text: z.string(),
  /** Null once the author's account is deleted. */
  author: z.nullable(z.string()),
  writtenAt: instant,
  /** Start of the author's subscription, if the author shows it and it still runs. */
  payingSince: z.nullable(instant),
  answer: z.nullable(z.string()),
  answeredAt: z.nullable(instant),
  /** Why the seller hid a reported, unlawful review. Its stars still count. */
  hiddenBecause: z.nullable(z.string()),
})
export type Review = z.infer<typeof review>

export const reviews = {
  list: endpoint('GET /api/reviews', {
    access: 'public',
    summary: 'Every verified review, or those with as many stars; newest first unless sorted by stars',
    input: z.strictObject({
      ...pageFields,
      stars: z.optional(z.enum(['1', '2', '3', '4', '5'])),
      sort: z.optional(z.enum(reviewOrders)),
    }),
    output: z.array(review),
    answer: 'list',
  }),
  mine: endpoint('GET /api/reviews/mine', {
    summary: 'My review, and whether I may write one',
    output: z.object({
      mayWrite: z.boolean(),
      /** First day on which the buyer may write; null if that is past, or without a subscription. */
      mayWriteFrom: z.nullable(instant),
      review: z.nullable(review),
      /** The product that the next review would be about. */
      product: z.nullable(z.string()),
    }),
  }),
  write: endpoint('POST /api/reviews', {
    summary: 'Review the product after 30 paid days; once',
    input: newReview,
    limit: { requests: 10, seconds: 600 },
  }),
  report: endpoint('POST /api/reviews/:id/report', {
    access: 'public',
    summary: 'Tell the seller that a review is unlawful',
    input: z.strictObject({ id, reason: text(500, 'Please tell us what is wrong with it') }),
    limit: { requests: 5, seconds: 600 },
  }),
}
