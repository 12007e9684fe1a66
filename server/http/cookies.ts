import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Secrets } from '../security/secrets.ts'

export type Cookie = {
  read(request: FastifyRequest): string | undefined
  set(reply: FastifyReply, value: string): FastifyReply
  clear(reply: FastifyReply): FastifyReply
}

type Signing = Pick<Secrets, 'linkToken' | 'isLinkToken'>

/** Read by the server alone and, with https, set by this host alone. */
export function createCookie(name: string, { secure, seconds }: { secure: boolean; seconds: number }): Cookie {
  const fullName = secure ? `__Host-${name}` : name
  const options = { path: '/', httpOnly: true, sameSite: 'lax', secure } as const
  return {
    read: (request: FastifyRequest): string | undefined => request.cookies[fullName],
    set: (reply: FastifyReply, value: string) => reply.setCookie(fullName, value, { ...options, maxAge: seconds }),
    clear: (reply: FastifyReply) => reply.clearCookie(fullName, options),
  }
}

/** A cookie whose value counts only if the shop wrote it. */
export function signed(name: string, cookie: Cookie, { linkToken, isLinkToken }: Signing): Cookie {
  const purpose = `cookie ${name}`
  return {
    ...cookie,
    read(request) {
      const [value = '', signature = ''] = cookie.read(request)?.split('.') ?? []
      return isLinkToken(purpose, value, signature) ? value : undefined
    },
    set: (reply, value) => cookie.set(reply, `${value}.${linkToken(purpose, value)}`),
  }
}
