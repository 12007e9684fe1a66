import type { Context } from '#server/context.ts'
import type { Schedules } from '#server/jobs/queue.ts'
import { createContact } from './contact/contact.ts'
import { createNewsletter } from './newsletter/newsletter.ts'
import { createReviews } from './reviews/reviews.ts'
import { createServiceMessages } from './service-messages/service-messages.ts'

export type Site = ReturnType<typeof openSite>

export function openSite(context: Context) {
  const reviews = createReviews(context)
  const contact = createContact(context)
  const newsletter = createNewsletter(context)
  const serviceMessages = createServiceMessages(context)
  const schedules: Schedules = {
    'invite-reviews': { cron: '43 9 * * *', run: reviews.invite },
    'forget-review-reports': { cron: '47 3 * * *', run: reviews.forgetReports },
    'forget-newsletter-addresses': { cron: '17 3 * * *', run: newsletter.forgetInactive },
    'send-newsletters': { cron: '* * * * *', run: newsletter.sending.run },
    'forget-contact-messages': { cron: '37 3 * * *', run: contact.forgetOld },
  }

  return { reviews, contact, newsletter, serviceMessages, schedules }
}
