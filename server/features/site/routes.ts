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
    write: (written, { actor }) => reviews.write(actor, written),
    report: ({ id, reason }) => reviews.report(id, reason),
    adminList: (page) => reviews.moderation.list(page),
    adminAnswer: ({ id, answer }, { actor }) => reviews.moderation.answer(actor, id, answer),
    adminHide: ({ id, reason }, { actor }) => reviews.moderation.hide(actor, id, reason),
  })
  mount(contract.newsletter, {
    subscribe: ({ email }, { actor, request }) =>
      newsletter.subscribe(email, { ip: actor.ip, page: pageOf(request.headers.referer) }),
    confirm: ({ id, token }, { actor }) => newsletter.confirm(id, token, actor.ip),
    unsubscribe: ({ id, token }) => newsletter.unsubscribe(id, token),
  })
  mount(contract.newsletters, {
    adminList: (page) => drafts.list(page),
    adminShow: ({ id }) => drafts.show(id),
    adminAudiences: () => drafts.audiences(),
    adminPreview: ({ id, scheme }) => drafts.preview(id, scheme),
    adminCreate: (written, { actor }) => drafts.create(actor, written),
    adminSave: ({ id, version, ...written }, { actor }) => drafts.save(actor, id, version, written),
    adminDelete: ({ id }, { actor }) => drafts.remove(actor, id),
    adminTest: ({ id }, { actor }) => drafts.test(actor, id),
    adminSend: ({ id, version, at }, { actor }) => sending.send(actor, id, version, at),
    adminPause: ({ id }, { actor }) => sending.pause(actor, id),
    adminResume: ({ id }, { actor }) => sending.resume(actor, id),
    adminStop: ({ id }, { actor }) => sending.stop(actor, id),
  })
  mount(contract.serviceMessages, {
    adminList: (page) => serviceMessages.list(page),
    adminAudience: ({ productId }) => serviceMessages.audience(productId),
    adminTest: (message, { actor }) => serviceMessages.test(actor, message),
    adminSend: (message, { actor }) => serviceMessages.send(actor, message),
  })
  mountOneClick(http, newsletter)
  mount(contract.contact, {
    send: async ({ website, ...message }, { actor }) => {
      // A bot caught by the honeypot gets the same answer as a person.
      if (!website) await contact.send(actor, message)
    },
  })
  mount(contract.messages, {
    adminList: (wanted) => contact.list(wanted),
    adminReply: ({ id, answer }, { actor }) => contact.reply(actor, id, answer),
    adminSettle: ({ id, state }, { actor }) => contact.settle(actor, id, state),
  })
}

/** Keeps the path of a referring page of ours; its query could hold a secret. */
const pageOf = (referer: string | undefined) =>
  referer && URL.canParse(referer) ? new URL(referer).pathname.slice(0, 100) : ''

/** RFC 8058: an email client posts to the List-Unsubscribe URL, and so does the button of a page without scripts. */
function mountOneClick({ app, pages }: Http, newsletter: Newsletter) {
  void app.register(async (scope) => {
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
        const isPerson = headers['sec-fetch-mode'] === 'navigate'
        const sayToPerson = async (message: string, isRefusal: boolean) =>
          isPerson &&
          (await answerWithPage(pages, request, reply, { message, isRefusal, page: '/newsletter/unsubscribe' }))
        try {
          await newsletter.unsubscribe(String(query.id), String(query.token))
        } catch (error) {
          if (!(error instanceof Refusal)) throw error
          reply.status(error.status)
          if (!(await sayToPerson(error.message, true))) throw error
          return reply
        }
        return (await sayToPerson('You have been unsubscribed.', false)) ? reply : {}
      },
    )
  })
}
