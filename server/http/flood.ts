import type { FastifyInstance } from 'fastify'
import { tooMany } from '../errors.ts'
import { networksOf } from './addresses.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Requests per minute that one network may send to this route, counted on their own; `false` means no limit. */
    perMinute?: number | false
  }
}

/** All routes without a limit of their own share this one. */
const defaultPerMinute = 300
const minuteMs = 60_000
/** Further networks are not counted until the minute ends, which limits the memory to about 10 MB. */
const maxCounters = 50_000

/** Counts in this process's memory, so a flood costs no database queries. */
export function limitFloods(app: FastifyInstance) {
  let endsAt = 0
  const counters = new Map<string, number>()
  app.addHook('onRequest', async (request) => {
    const { perMinute = defaultPerMinute } = request.routeOptions.config
    if (perMinute === false) return
    const now = performance.now()
    if (now >= endsAt) {
      counters.clear()
      endsAt = now + minuteMs
    }
    const route = perMinute === defaultPerMinute ? '' : request.routeOptions.url
    // The widest network first: once it is refused, its smaller ones are not counted.
    for (const { network, limitFactor } of networksOf(request.ip).toReversed()) {
      const counter = `${route} ${network}`
      const count = (counters.get(counter) ?? 0) + 1
      if (count > 1 || counters.size < maxCounters) counters.set(counter, count)
      if (count > perMinute * limitFactor) throw tooMany(Math.ceil((endsAt - now) / 1000))
    }
  })
}
