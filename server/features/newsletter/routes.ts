import type { FastifyInstance } from 'fastify'
import type { newsletter as contract } from '#contract/newsletter.ts'
import type { Handlers } from '../../http/mount.ts'
import type { Newsletter } from './newsletter.ts'

export const newsletterRoutes = (newsletter: Newsletter): Handlers<typeof contract> => ({
  subscribe: ({ email }) => newsletter.subscribe(email),
  confirm: ({ id, token }) => newsletter.confirm(id, token),
  unsubscribe: ({ id, token }) => newsletter.unsubscribe(id, token),
})

/**
 * The one click of RFC 8058: a mail program posts a form to the address of the List-Unsubscribe header.
 * The same address opened by a person shows a page with a button.
 */
export function mountOneClick(app: FastifyInstance, newsletter: Newsletter) {
  void app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', (_request, body, done) => {
      body.resume()
      done(null)
    })
    scope.post<{ Querystring: { id?: unknown; token?: unknown } }>(
      '/newsletter/unsubscribe',
      // Large mail providers post for many readers from few addresses.
      { config: { rateLimit: false } },
      async ({ query }) => {
        await newsletter.unsubscribe(String(query.id), String(query.token))
        return {}
      },
    )
  })
}
