import type { Endpoint } from '#contract/endpoint.ts'
import { contract } from '#contract/index.ts'
import type { Visitor } from './visitor.ts'

/** Every call of the contract, named like `accounts.login`. */
export const endpoints = Object.entries(contract).flatMap(([group, calls]) =>
  Object.entries<Endpoint>(calls).map(([name, endpoint]) => ({ name: `${group}.${name}`, endpoint })),
)

const nobodysId = '00000000-0000-4000-8000-000000000000'

/** Sends a field that no call knows: an allowed caller gets a 400 about it, and nothing changes. */
export function knock({ method, path }: Endpoint, visitor: Visitor) {
  const address = path.replaceAll(/:\w+/g, nobodysId)
  if (method === 'GET' || method === 'DELETE') return visitor.fetch(`${address}?nobodyKnows=1`, { method })
  const headers = { 'content-type': 'application/json' }
  return visitor.fetch(address, { method, headers, body: '{"nobodyKnows":1}' })
}
