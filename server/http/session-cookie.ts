import type { FastifyReply, FastifyRequest } from 'fastify'

export type SessionCookie = ReturnType<typeof createSessionCookie>

/** What the browser holds of a session: its token, where no script can read it. */
export function createSessionCookie({ secure, days }: { secure: boolean; days: number }) {
  const name = secure ? '__Host-session' : 'session'
  const options = { path: '/', httpOnly: true, sameSite: 'lax', secure } as const

  return {
    read: (request: FastifyRequest): string | undefined => request.cookies[name],
    set: (reply: FastifyReply, token: string) =>
      reply.setCookie(name, token, { ...options, maxAge: days * 86_400 }),
    clear: (reply: FastifyReply) => reply.clearCookie(name, options),
  }
}
