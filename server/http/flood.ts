import type { FastifyInstance } from 'fastify'
import { tooMany } from '../errors.ts'
import { networksOf } from './addresses.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** How many requests a minute one network may send here, if not as many as anywhere; `false`: as many as it likes. */
    perMinute?: number | false
  }
}

const usual = 300
const minute = 60_000
/** More networks than this in one minute start a new one: memory must not grow with addresses. */
const mostNetworks = 20_000

/** Counts each network's requests in this process's memory, so a flood costs no database. Limits of calls: `attempts`. */
export function limitFloods(app: FastifyInstance) {
  let endsAt = 0
  const counts = new Map<string, number>()
  app.addHook('onRequest', (request, _reply, done) => {
    const { perMinute = usual } = request.routeOptions.config
    if (perMinute === false) return done()
    const now = performance.now()
    if (now >= endsAt || counts.size > mostNetworks) {
      counts.clear()
      endsAt = now + minute
    }
    const route = perMinute === usual ? '' : request.routeOptions.url
    let isFlood = false
    for (const { network, times } of networksOf(request.ip)) {
      const key = `${route} ${network}`
      const count = (counts.get(key) ?? 0) + 1
      counts.set(key, count)
      isFlood ||= count > perMinute * times
    }
    done(isFlood ? tooMany(Math.ceil((endsAt - now) / 1000)) : undefined)
  })
}
