import type { FastifyReply, FastifyRequest } from 'fastify'
import type { checkout as contract } from '#contract/checkout.ts'
import type { Handlers } from '../../http/mount.ts'
import type { SessionCookie } from '../../http/session-cookie.ts'
import type { Sessions } from '../sessions/sessions.ts'
import type { Checkout } from './checkout.ts'

type Dependencies = { checkout: Checkout; sessions: Sessions; cookie: SessionCookie; secure: boolean }

export function checkoutRoutes(deps: Dependencies): Handlers<typeof contract> {
  const { checkout, sessions, cookie, secure } = deps
  const nonceCookie = secure ? '__Host-checkout' : 'checkout'
  const nonceOf = (request: FastifyRequest) => request.cookies[nonceCookie]
  const keep = (reply: FastifyReply, nonce: string) =>
    reply.setCookie(nonceCookie, nonce, {
      path: '/',
      httpOnly: true,
      sameSite: 'lax',
      secure,
      maxAge: 86_400,
    })

  return {
    createSubscriptionIntent: async (wish, { actor, request, reply }) => {
      const { clientSecret, isPaid, nonce } = await checkout.begin(actor, nonceOf(request), wish)
      if (nonce) keep(reply, nonce)
      return { clientSecret, isPaid }
    },
    guestPurchaseLogin: async ({ paymentIntentId }, { actor, request, reply }) => {
      const authenticated = await checkout.loginOfGuest(nonceOf(request), paymentIntentId)
      if (authenticated === 'processing') return { state: 'processing' as const }
      cookie.set(reply, await sessions.begin(actor, authenticated, cookie.read(request)))
      return { state: 'done' as const }
    },
    confirm: ({ paymentIntentId }, { actor }) => checkout.confirm(actor, paymentIntentId),
  }
}
