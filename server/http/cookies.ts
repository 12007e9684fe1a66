import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Secrets } from '../security/secrets.ts'

export type Cookie = {
  read(request: FastifyRequest): string | undefined
  set(reply: FastifyReply, value: string): FastifyReply
  clear(reply: FastifyReply): FastifyReply
}

type CookieSigner = Pick<Secrets, 'linkToken' | 'isLinkToken'>

/** With https, the `__Host-` prefix lets only this host set it. */
export function createCookie(name: string, { secure, seconds }: { secure: boolean; seconds: number }): Cookie {
  const fullName = secure ? `__Host-${name}` : name
  const options = { path: '/', httpOnly: true, sameSite: 'lax', secure } as const
  return {
    read: (request: FastifyRequest): string | undefined => request.cookies[fullName],
    set: (reply: FastifyReply, value: string) => reply.setCookie(fullName, value, { ...options, maxAge: seconds }),
    clear: (reply: FastifyReply) => reply.clearCookie(fullName, options),
  }
}

export function signed(name: string, cookie: Cookie, { linkToken, isLinkToken }: CookieSigner): Cookie {
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
