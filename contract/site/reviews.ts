import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { id, instant, pages, text } from '../fields.ts'
import { looksLikeLink, personName } from '../person-name.ts'

export const reviewsPerPage = 20

export const paidDaysToReview = 30

const stars = z
  .int('Please choose between one and five stars')
  .min(1, 'Please choose between one and five stars')
  .max(5, 'Please choose between one and five stars')

export const newReview = z.strictObject({
  stars,
  text: text(1000, 'Please write a few words')
    .min(20, 'Please write at least 20 characters')
    .refine((typed) => !looksLikeLink(typed), 'Please write it without links or email addresses'),
  author: personName,
})

const review = z.object({
  id,
  stars,
  /** Empty when it is hidden. */
  text: z.string(),
  /** Null once the author's account is deleted. */
  author: z.string().nullable(),
  writtenAt: instant,
  answer: z.string().nullable(),
  answeredAt: instant.nullable(),
  /** Why a reported, unlawful review is no longer readable. Its stars still count. */
  hiddenBecause: z.string().nullable(),
})
export type Review = z.infer<typeof review>

const managedReview = review.extend({ report: z.string().nullable(), reportedAt: instant.nullable() })

export const reviews = {
  list: endpoint('GET /api/reviews', {
    access: 'public',
    summary: 'Every verified review, newest first',
    input: z.strictObject(pages),
    output: z.array(review),
    answer: 'list',
  }),
  mine: endpoint('GET /api/reviews/mine', {
    summary: 'My review, and whether I may write one',
    output: z.object({
      mayWrite: z.boolean(),
      review: review.nullable(),
      /** What may be reviewed next. */
      product: z.string().nullable(),
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
  adminList: endpoint('GET /api/admin/reviews', {
    summary: 'Every review with its report, newest first',
    input: z.strictObject(pages),
    output: z.array(managedReview),
    answer: 'list',
  }),
  adminAnswer: endpoint('POST /api/admin/reviews/:id/answer', {
    summary: 'Answer a review in public; replaces an earlier answer',
    input: z.strictObject({ id, answer: text(1000, 'Please enter an answer') }),
  }),
  adminHide: endpoint('POST /api/admin/reviews/:id/hide', {
    summary: 'Hide the text of a reported, unlawful review; everyone reads the reason',
    input: z.strictObject({ id, reason: text(300, 'Please give a reason') }),
  }),
}
