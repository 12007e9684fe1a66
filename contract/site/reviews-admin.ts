import * as z from 'zod/mini'
import { endpoint } from '../endpoint.ts'
import { id, instant, pageFields, text } from '../fields.ts'
import { review } from './reviews.ts'

/** Reviews with at most this many stars need a reply. */
export const starsToAnswer = 3
export const reviewFilters = ['to_answer', 'unanswered', 'reported'] as const
export type ReviewFilter = (typeof reviewFilters)[number]

const managedReview = z.extend(review, {
  report: z.nullable(z.string()),
  reportedAt: z.nullable(instant),
  /** Null once the author's account is deleted. */
  customerId: z.nullable(id),
})
export type ManagedReview = z.infer<typeof managedReview>

export const reviewsAdmin = {
  list: endpoint('GET /api/admin/reviews', {
    access: 'content.write',
    summary: 'Every review with its report, newest first',
    input: z.strictObject({ ...pageFields, show: z.optional(z.enum(reviewFilters)) }),
    output: z.array(managedReview),
    answer: 'list',
  }),
  answer: endpoint('POST /api/admin/reviews/:id/answer', {
    access: 'content.write',
    summary: 'Answer a review in public; replaces an earlier answer',
    input: z.strictObject({ id, answer: text(1000, 'Please enter an answer') }),
  }),
  hide: endpoint('POST /api/admin/reviews/:id/hide', {
    access: 'content.write',
    summary: 'Hide the text of a reported, unlawful review; everyone reads the reason',
    input: z.strictObject({ id, reason: text(300, 'Please give a reason') }),
  }),
}
