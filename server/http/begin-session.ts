import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Actor, User } from '../actor.ts'
import type { SessionCookie } from './cookies.ts'

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

export type BeginSession<Authenticated> = ReturnType<typeof createBeginSession<Authenticated>>
