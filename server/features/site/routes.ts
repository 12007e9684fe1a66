import { contract } from '#contract/index.ts'
import { Refusal } from '#server/errors.ts'
import type { Http } from '#server/http/mount.ts'
import { answerWithPage } from '#server/http/plain-forms.ts'
import type { Newsletter } from './newsletter/newsletter.ts'
import type { Site } from './site.ts'

export function mountSite(http: Http, { reviews, contact, newsletter, serviceMessages }: Site) {
  const { mount } = http
  const { drafts, sending } = newsletter
  mount(contract.reviews, {
    list: (page) => reviews.list(page),
    mine: (_input, { actor }) => reviews.mine(actor.user.id),
    write: (review, { actor }) => reviews.write(actor, review),
    report: ({ id, reason }) => reviews.report(id, reason),
  })
  mount(contract.reviewsAdmin, {
    list: (page) => reviews.moderation.list(page),
    answer: ({ id, answer }, { actor }) => reviews.moderation.answer(actor, id, answer),
    hide: ({ id, reason }, { actor }) => reviews.moderation.hide(actor, id, reason),
  })
  mount(contract.newsletter, {
    subscribe: ({ email }, { actor, request }) =>
      newsletter.subscribe(email, { ip: actor.ip, page: pathOfReferer(request.headers.referer) }),
    confirm: ({ id, token }, { actor }) => newsletter.confirm(id, token, actor.ip),
    unsubscribe: ({ id, token }) => newsletter.unsubscribe(id, token),
  })
  mount(contract.newsletters, {
    adminList: (page) => drafts.list(page),
    adminShow: ({ id }) => drafts.show(id),
    adminAudiences: () => drafts.audiences(),
    adminPreview: ({ id, scheme }) => drafts.preview(id, scheme),
    adminCreate: (draft, { actor }) => drafts.create(actor, draft),
    adminSave: ({ id, version, ...draft }, { actor }) => drafts.save(actor, id, version, draft),
    adminDelete: ({ id }, { actor }) => drafts.remove(actor, id),
    adminTest: ({ id }, { actor }) => drafts.sendTest(actor, id),
    adminSend: ({ id, version, at }, { actor }) => sending.send(actor, id, version, at),
    adminPause: ({ id }, { actor }) => sending.pause(actor, id),
    adminResume: ({ id }, { actor }) => sending.resume(actor, id),
    adminStop: ({ id }, { actor }) => sending.stop(actor, id),
  })
  mount(contract.serviceMessages, {
    adminList: (page) => serviceMessages.list(page),
    adminAudience: ({ productId }) => serviceMessages.audience(productId),
    adminTest: (message, { actor }) => serviceMessages.sendTest(actor, message),
    adminSend: (message, { actor }) => serviceMessages.send(actor, message),
  })
  mountOneClickUnsubscribe(http, newsletter)
  mount(contract.contact, {
    send: async ({ website, ...message }, { actor }) => {
      // A bot caught by the honeypot gets the same answer as a person.
      if (!website) await contact.send(actor, message)
    },
  })
  mount(contract.messages, {
    adminList: (filter) => contact.list(filter),
    adminReply: ({ id, answer }, { actor }) => contact.reply(actor, id, answer),
    adminSettle: ({ id, state }, { actor }) => contact.settle(actor, id, state),
  })
}

/** Path of the page with the form; its query is dropped because it could hold a secret. */
const pathOfReferer = (referer: string | undefined) =>
  referer && URL.canParse(referer) ? new URL(referer).pathname.slice(0, 100) : ''

/** RFC 8058: an email client posts to the List-Unsubscribe URL, and so does the button of a page without scripts. */
function mountOneClickUnsubscribe({ app, pages }: Http, newsletter: Newsletter) {
  void app.register(async (scope) => {
    // The request body is ignored, so any content type is accepted.
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', (_request, body, done) => {
      body.resume()
      done(null)
    })
    scope.post<{ Querystring: { id?: unknown; token?: unknown } }>(
      '/newsletter/unsubscribe',
      // Large email providers post for many readers from a few IP addresses.
      { config: { perMinute: false } },
      async (request, reply) => {
        const { query, headers } = request
        const isBrowser = headers['sec-fetch-mode'] === 'navigate'
        /** Returns false for an email client, which gets JSON. */
        async function answerBrowserWithPage(message: string, isRefusal: boolean): Promise<boolean> {
          if (!isBrowser) return false
          return answerWithPage(pages, request, reply, { message, isRefusal, page: '/newsletter/unsubscribe' })
        }
        try {
          await newsletter.unsubscribe(String(query.id), String(query.token))
        } catch (error) {
          if (!(error instanceof Refusal)) throw error
          reply.status(error.status)
          if (!(await answerBrowserWithPage(error.message, true))) throw error
          return reply
        }
        return (await answerBrowserWithPage('You have been unsubscribed.', false)) ? reply : {}
      },
    )
  })
}
