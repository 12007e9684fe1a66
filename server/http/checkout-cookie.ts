import type { FastifyReply, FastifyRequest } from 'fastify'

export type CheckoutCookie = ReturnType<typeof createCheckoutCookie>

/** A secret of the browser that started a checkout: it later proves that the person who returns from paying is the same. */
export function createCheckoutCookie({ secure }: { secure: boolean }) {
  const name = secure ? '__Host-checkout' : 'checkout'
  const options = { path: '/', httpOnly: true, sameSite: 'lax', secure } as const

  return {
    read: (request: FastifyRequest): string | undefined => request.cookies[name],
    set: (reply: FastifyReply, nonce: string) => reply.setCookie(name, nonce, { ...options, maxAge: 86_400 }),
    clear: (reply: FastifyReply) => reply.clearCookie(name, options),
  }
}
