import { randomInt } from 'node:crypto'
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
/** Networks share counters by hash, so memory does not grow with addresses and nobody can flush the counts. */
const counterCount = 65_536

/** Counts in this process's memory, so a flood costs no database queries. */
export function limitFloods(app: FastifyInstance) {
  let endsAt = 0
  const counts = new Uint32Array(counterCount)
  const seed = randomInt(2 ** 31)
  app.addHook('onRequest', (request, _reply, done) => {
    const { perMinute = defaultPerMinute } = request.routeOptions.config
    if (perMinute === false) return done()
    const now = performance.now()
    if (now >= endsAt) {
      counts.fill(0)
      endsAt = now + minuteMs
    }
    const route = perMinute === defaultPerMinute ? '' : request.routeOptions.url
    let isFlood = false
    // The widest network first: once it is refused, its smaller ones are not counted.
    for (const { network, limitFactor } of networksOf(request.ip).toReversed()) {
      const counter = hash(`${route} ${network}`, seed) % counterCount
      const count = (counts[counter] ?? 0) + 1
      counts[counter] = count
      isFlood = count > perMinute * limitFactor
      if (isFlood) break
    }
    done(isFlood ? tooMany(Math.ceil((endsAt - now) / 1000)) : undefined)
  })
}

/** FNV-1a, seeded so that nobody can choose an address that shares a counter with a victim's. */
function hash(text: string, seed: number) {
  let value = 0x811c9dc5 ^ seed
  for (let index = 0; index < text.length; index++) value = Math.imul(value ^ text.charCodeAt(index), 0x01000193)
  return value >>> 0
}
