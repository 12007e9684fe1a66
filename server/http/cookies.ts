import type { FastifyReply, FastifyRequest } from 'fastify'

export type Cookie = ReturnType<typeof createCookie>

/** Read by the server alone and, with https, set by this host alone. */
export function createCookie(name: string, { secure, seconds }: { secure: boolean; seconds: number }) {
  const fullName = secure ? `__Host-${name}` : name
  const options = { path: '/', httpOnly: true, sameSite: 'lax', secure } as const
  return {
    read: (request: FastifyRequest): string | undefined => request.cookies[fullName],
    set: (reply: FastifyReply, value: string) => reply.setCookie(fullName, value, { ...options, maxAge: seconds }),
    clear: (reply: FastifyReply) => reply.clearCookie(fullName, options),
  }
}
