import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Actor, User } from '../actor.ts'
import { randomToken } from '../security/tokens.ts'

export type SessionCookie = ReturnType<typeof createSessionCookie>

/** Browsers keep no cookie longer. */
const deviceDays = 400

/** The browser's side of a session; and what marks the browser at a later login, so that others' tries can't lock it out. */
export function createSessionCookie({ secure, days }: { secure: boolean; days: number }) {
  const name = secure ? '__Host-session' : 'session'
  const deviceName = secure ? '__Host-device' : 'device'
  const halfName = secure ? '__Host-half-login' : 'half-login'
  const options = { path: '/', httpOnly: true, sameSite: 'lax', secure } as const

  return {
    read: (request: FastifyRequest): string | undefined => request.cookies[name],
    set: (reply: FastifyReply, token: string) =>
      reply.setCookie(name, token, { ...options, maxAge: days * 86_400 }),
    clear: (reply: FastifyReply) => reply.clearCookie(name, options),

    /** Between the password and the second step. */
    readHalf: (request: FastifyRequest): string | undefined => request.cookies[halfName],
    setHalf: (reply: FastifyReply, token: string, seconds: number) =>
      reply.setCookie(halfName, token, { ...options, maxAge: seconds }),
    clearHalf: (reply: FastifyReply) => reply.clearCookie(halfName, options),

    readDevice: (request: FastifyRequest): string | undefined => request.cookies[deviceName],
    keepDevice(request: FastifyRequest, reply: FastifyReply): string {
      const device = request.cookies[deviceName] ?? randomToken()
      reply.setCookie(deviceName, device, { ...options, maxAge: deviceDays * 86_400 })
      return device
    },
  }
}

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

type Dependencies<Authenticated> = {
  sessions: {
    begin(
      actor: Actor<User | null>,
      authenticated: Authenticated,
      oldToken: string | undefined,
    ): Promise<string>
  }
  cookie: SessionCookie
}
type Context = { actor: Actor<User | null>; request: FastifyRequest; reply: FastifyReply }

/** The end of every login: a session, and the browser's side of it. */
export function createBeginSession<Authenticated>({ sessions, cookie }: Dependencies<Authenticated>) {
  return async (authenticated: Authenticated, { actor, request, reply }: Context) => {
    const device = cookie.keepDevice(request, reply)
    cookie.set(reply, await sessions.begin({ ...actor, device }, authenticated, cookie.read(request)))
    if (cookie.readHalf(request)) cookie.clearHalf(reply)
  }
}
