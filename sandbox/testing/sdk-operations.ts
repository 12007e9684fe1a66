import { Stripe } from 'stripe'

type Operation = { method: string; pattern: RegExp; params: string }
type Resource = Record<string, unknown>

const isResource = (value: unknown): value is Resource =>
  typeof value === 'object' && value !== null && '_makeRequest' in value

const id = 'ANID'

/** Every API v1 call that the SDK can make, with the name of its parameter type, read from the SDK itself. */
export function sdkOperations(): Operation[] {
  const sdk = new Stripe('sk_test_none')
  const nested = Object.entries(sdk.testHelpers).map(([name, value]) => ['testHelpers', name, value] as const)
  const plain = Object.entries(sdk).map(([name, value]) => [name, value] as const)
  return [...plain, ...nested].flatMap((entry) => {
    const resource: unknown = entry.at(-1)
    // OAuth is not part of the API.
    if (!isResource(resource) || entry[0] === 'oauth') return []
    const place = entry.slice(0, -1).map((name) => `['${String(name)}']`)
    return operationsOf(resource, `Stripe${place.join('')}`)
  })
}

function operationsOf(resource: Resource, type: string): Operation[] {
  const found: Operation[] = []
  const names = Object.getOwnPropertyNames(Object.getPrototypeOf(resource)).filter(
    (name) => name !== 'constructor' && !name.startsWith('_'),
  )
  for (const name of names) {
    const makeRequest = (method: string, path: string) => {
      if (!path.startsWith('/v1/')) return
      const pattern = new RegExp(`^${path.replaceAll(id, '[^/]+')}$`)
      const index = path.split(id).length - 1
      found.push({ method, pattern, params: `NonNullable<Parameters<${type}['${name}']>[${index}]>` })
    }
    Object.assign(resource, { _makeRequest: makeRequest })
    const call = resource[name]
    if (typeof call === 'function') Reflect.apply(call, resource, [id, id, id])
  }
  return found
}
