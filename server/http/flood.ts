import { randomInt } from 'node:crypto'
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
/** Networks share counters by hash, so memory does not grow with addresses and nobody can flush the counts. */
const counters = 65_536

/** Counts each network's requests in this process's memory, so a flood costs no database. Limits of calls: `attempts`. */
export function limitFloods(app: FastifyInstance) {
  let endsAt = 0
  const counts = new Uint32Array(counters)
  const seed = randomInt(2 ** 31)
  app.addHook('onRequest', (request, _reply, done) => {
    const { perMinute = usual } = request.routeOptions.config
    if (perMinute === false) return done()
    const now = performance.now()
    if (now >= endsAt) {
      counts.fill(0)
      endsAt = now + minute
    }
    const route = perMinute === usual ? '' : request.routeOptions.url
    let isFlood = false
    // The widest network first: once it is refused, its smaller ones are not counted.
    for (const { network, times } of networksOf(request.ip).toReversed()) {
      const counter = hash(`${route} ${network}`, seed) % counters
      const count = (counts[counter] ?? 0) + 1
      counts[counter] = count
      isFlood = count > perMinute * times
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
