import type { Context } from '#server/context.ts'
import type { Schedules } from '#server/jobs/queue.ts'
import { type Contact, createContact } from './contact/contact.ts'
import { createNewsletter, type Newsletter, type NewsletterContext } from './newsletter/newsletter.ts'
import { createReviews, type Reviews } from './reviews/reviews.ts'
import { createServiceMessages, type ServiceMessages } from './service-messages/service-messages.ts'

type SiteContext = NewsletterContext & Pick<Context, 'supportEmail'>

export type Site = {
  reviews: Reviews
  contact: Contact
  newsletter: Newsletter
  serviceMessages: ServiceMessages
  schedules: Schedules
}

export function openSite(context: SiteContext): Site {
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
