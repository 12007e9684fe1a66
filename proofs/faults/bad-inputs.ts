import { Agent } from 'node:http'
import fc from 'fast-check'
import * as z from 'zod/mini'
import type { Endpoint } from '#contract/endpoint.ts'
import { accounts } from '#contract/identity/accounts.ts'
import { contract } from '#contract/index.ts'
import { cookieHeader, createVisitor } from '#server/testing/visitor.ts'
import { type Answer, ask, type Request } from '../lab/ask.ts'
import { concurrently } from '../lab/concurrently.ts'
import type { LabShop } from '../lab/lab.ts'
import { seller } from '../lab/shop-process.ts'
import { createTally } from '../lab/tally.ts'
import { inputs, type JsonSchema } from './arbitrary-inputs.ts'
import { details, type Row } from './row.ts'

/** Inputs for every endpoint of the contract, generated from its own schemas: valid ones, and wrong ones of every kind. */
export const badInputs: Row = {
  name: 'bad inputs',
  env: { LIGHT_HASHING: 'true' },
  async run({ shop, limits: { badInputs: limit } }) {
    const answers = createTally<Answer>()
    const faults: string[] = []
    const rightShares: number[] = []
    let sent = 0
    for (const [room, group] of Object.entries(contract))
      for (const [name, endpoint] of Object.entries(group)) {
        let right = 0
        for (const { input, isRight, answer } of await sendSamples(shop, endpoint, limit.perEndpoint)) {
          sent += 1
          if (isRight) right += 1
          answers.add(answer)
          if (typeof answer !== 'number' || answer >= 500)
            faults.push(`${room}.${name} ${answer} for ${JSON.stringify(input)?.slice(0, 200)}`)
        }
        rightShares.push(right / limit.perEndpoint)
      }
    const least = Math.min(...rightShares)
    const mean = rightShares.reduce((sum, share) => sum + share, 0) / rightShares.length
    const percent = (share: number) => `${Math.round(100 * share)} %`
    return {
      ok: faults.length === 0 && (limit.shareOf === 'all' ? mean : least) >= limit.rightShare,
      figures: `${sent} inputs, ${percent(mean)} valid (at least ${percent(least)} for each endpoint): responses ${answers.show()}${details(faults)}`,
    }
  },
}

/** Many at a time, and as the seller, who may call everything. */
async function sendSamples(shop: LabShop, endpoint: Endpoint, count: number) {
  // An endpoint may end the very session it was called with.
  const visitor = createVisitor(shop.url)
  await visitor.call(accounts.login, seller)
  const cookie = cookieHeader(visitor)
  const schema = endpoint.input(z)
  const json = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema
  const samples = fc.sample(inputs(json), count).values()
  const sent: { input: unknown; isRight: boolean; answer: Answer }[] = []
  // They all draw from the same samples.
  await concurrently(32, async () => {
    for (const input of samples) {
      const answer = await ask(shop, rawRequest(endpoint, input, cookie), { agent })
      sent.push({ input, isRight: z.safeParse(schema, input).success, answer })
    }
  })
  return sent
}

const agent = new Agent({ keepAlive: true })

/** As an attacker would send it: any input, without the typed client. */
function rawRequest({ method, ...endpoint }: Endpoint, input: unknown, cookie: string): Request {
  const isObject = typeof input === 'object' && input !== null && !Array.isArray(input)
  const fields: Record<string, unknown> = isObject ? { ...input } : {}
  const path = endpoint.path.replaceAll(/:(\w+)/g, (parameter, name: string) => {
    const value = fields[name]
    delete fields[name]
    return encodeURIComponent(textOf(value)) || parameter
  })
  if (method === 'GET' || method === 'DELETE') {
    const query = new URLSearchParams(Object.entries(fields).map(([name, value]) => [name, textOf(value)]))
    return { path: `${path}?${query}`, method, headers: { cookie } }
  }
  return {
    path,
    method,
    headers: { cookie, 'content-type': 'application/json' },
    body: JSON.stringify(isObject ? fields : input) ?? '',
  }
}

/** `encodeURIComponent` refuses half a surrogate pair; the wire would not carry it either. */
const textOf = (value: unknown) =>
  (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).toWellFormed()
