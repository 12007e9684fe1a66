import { contract } from '#contract/index.ts'
import type { Context, PeoplesRoom } from '#server/context.ts'
import type { Doors } from '#server/http/mount.ts'
import { createContact } from './contact/contact.ts'
import { contactRoutes, messageRoutes } from './contact/routes.ts'
import { contactSchedules } from './contact/schedules.ts'
import { createNewsletter } from './newsletter/newsletter.ts'
import { mountOneClick, newsletterRoutes } from './newsletter/routes.ts'
import { newsletterSchedules } from './newsletter/schedules.ts'
import { createReviews } from './reviews/reviews.ts'
import { reviewRoutes } from './reviews/routes.ts'
import { reviewSchedules } from './reviews/schedules.ts'

export type Site = ReturnType<typeof openSite>

/** What everyone reads, and may write to us. */
export function openSite(context: Context) {
  const reviews = createReviews(context)
  const contact = createContact(context)
  const newsletter = createNewsletter(context)
  const people: PeoplesRoom[] = [contact, reviews]

  return {
    contact,
    newsletter,
    people,
    schedules: [reviewSchedules(reviews), newsletterSchedules(newsletter), contactSchedules(contact)],

    mount({ app, mount, pages }: Doors) {
      mount(contract.reviews, reviewRoutes(reviews))
      mount(contract.newsletter, newsletterRoutes(newsletter))
      mountOneClick(app, newsletter, pages)
      mount(contract.contact, contactRoutes(contact))
      mount(contract.messages, messageRoutes(contact))
    },
  }
}
