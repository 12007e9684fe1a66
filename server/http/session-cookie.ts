import type { FastifyReply, FastifyRequest } from 'fastify'
import { randomToken } from '../security/tokens.ts'

export type SessionCookie = ReturnType<typeof createSessionCookie>

/** Browsers keep no cookie longer. */
const deviceDays = 400

/**
 * What the browser holds of a session: its token, where no script can read it. And by what it is known again at a later
 * login: that opens nothing, but nobody else's wrong passwords shut it out.
 */
export function createSessionCookie({ secure, days }: { secure: boolean; days: number }) {
  const name = secure ? '__Host-session' : 'session'
  const deviceName = secure ? '__Host-device' : 'device'
  const options = { path: '/', httpOnly: true, sameSite: 'lax', secure } as const

  return {
    read: (request: FastifyRequest): string | undefined => request.cookies[name],
    set: (reply: FastifyReply, token: string) =>
      reply.setCookie(name, token, { ...options, maxAge: days * 86_400 }),
    clear: (reply: FastifyReply) => reply.clearCookie(name, options),

    readDevice: (request: FastifyRequest): string | undefined => request.cookies[deviceName],
    keepDevice(request: FastifyRequest, reply: FastifyReply): string {
      const device = request.cookies[deviceName] ?? randomToken()
      reply.setCookie(deviceName, device, { ...options, maxAge: deviceDays * 86_400 })
      return device
    },
  }
}
