import type { FastifyReply, FastifyRequest } from 'fastify'
import type { checkout as contract } from '#contract/checkout.ts'
import type { Handlers } from '../../http/mount.ts'
import type { Sessions } from '../../http/session.ts'
import type { Checkout } from './checkout.ts'

type Rooms = { checkout: Checkout; sessions: Sessions; secure: boolean }

export function checkoutRoutes({ checkout, sessions, secure }: Rooms): Handlers<typeof contract> {
  const cookieName = secure ? '__Host-checkout' : 'checkout'
  const nonceOf = (request: FastifyRequest) => request.cookies[cookieName]
  const keep = (reply: FastifyReply, nonce: string) =>
    reply.setCookie(cookieName, nonce, { path: '/', httpOnly: true, sameSite: 'lax', secure, maxAge: 86_400 })

  return {
    createSubscriptionIntent: async (wish, { user, request, reply }) => {
      const { clientSecret, nonce } = await checkout.begin(user, nonceOf(request), wish)
      if (nonce) keep(reply, nonce)
      return { clientSecret }
    },
    guestPurchaseLogin: async ({ paymentIntentId }, { request, reply }) => {
      const proven = await checkout.loginOfGuest(nonceOf(request), paymentIntentId)
      await sessions.begin(proven, request, reply)
    },
    confirm: ({ paymentIntentId }, { user }) => checkout.confirm(user.id, paymentIntentId),
  }
}
