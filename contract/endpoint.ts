import * as z from 'zod/mini'
import { id } from './fields.ts'
import { isPermission, type Permission } from './permissions.ts'

/** Access of a call: for anyone, anyone logged in, or staff with a permission. `server/http/gate.ts` enforces it. */
export type Access = 'public' | 'user' | Permission

export type Caller = 'none' | 'optional'

/** How the answer arrives; a list has a `Link` header to its next page, and `later` may answer 202: ask again in a moment. */
export type Answer = 'json' | 'list' | 'csv' | 'html' | 'redirect' | 'later'

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'
type Path = `/api/${string}`
type Fields = z.ZodMiniType<Record<string, unknown>, Record<string, unknown>>

export type Endpoint<Input extends Fields = Fields, Output extends z.ZodMiniType = z.ZodMiniType> = {
  method: Method
  /** Segments like `:id` come from the input; the rest travels as query (GET, DELETE) or JSON body. */
  path: Path
  access: Access
  /** Loads the caller of a public call if there is one; costs a database lookup. */
  caller?: Caller
  /**
   * Needs a recent proof of who is calling (`server/http/gate.ts`). `or password`: not if a password is sent along.
   * `today`: spends a buyer's money; without a second factor, a proof of the last 24 hours is enough.
   */
  fresh?: boolean | 'or password' | 'today'
  /** Only for accounts with a proven address. */
  proven?: true
  /** Open to staff who must still set up a second factor; other calls are refused to them. */
  whileSettingUp?: true
  summary: string
  input: Input
  output: Output
  answer?: Answer
  /** Rate limit by account, or by network for public calls; the general limit applies otherwise. */
  limit?: { requests: number; seconds: number }
}

/** Types of input and output, for callers and for handlers. */
export type InputOf<E extends Endpoint> = z.input<E['input']>
export type OutputOf<E extends Endpoint> = z.output<E['output']>
export type ParsedInputOf<E extends Endpoint> = z.output<E['input']>
export type RawOutputOf<E extends Endpoint> = z.input<E['output']>

const nothing = z.strictObject({})
const byId = z.strictObject({ id })
type Nothing = typeof nothing
type Named = { byId: typeof byId; nothing: Nothing }
type NamedIn<Address> = Named[Address extends `${string}/:id` | `${string}/:id/${string}` ? 'byId' : 'nothing']

type EndpointDefinition<Input extends Fields, Output extends z.ZodMiniType> = Omit<
  Endpoint<Input, Output>,
  'method' | 'path' | 'access' | 'input' | 'output'
> & { input?: Input; output?: Output }

/** Admin calls name a permission; other calls need a login unless `access` is `public`. */
type AccessOf<Address, A> = Address extends `${string} /api/admin${string}`
  ? { access: A & Permission }
  : { access?: A & ('public' | 'user') }

/**
 * Describes a call. Without input, it takes the `:id` of its path; without output, it answers with nothing. A change made by staff
 * wants a fresh proof, unless the row says otherwise.
 */
export function endpoint<
  const Address extends `${Method} ${Path}`,
  Input extends Fields = NamedIn<Address>,
  Output extends z.ZodMiniType = Nothing,
  const R extends Answer = 'json',
  const C extends Caller = 'none',
  const A extends Access = 'user',
>(address: Address, row: EndpointDefinition<Input, Output> & AccessOf<Address, A> & { answer?: R; caller?: C }) {
  const [method, path] = address.split(' ') as [Method, Path]
  const named = /\/:id(\/|$)/.test(path) ? byId : nothing
  const input = row.input ?? (named as unknown as Input)
  const output = row.output ?? (nothing as unknown as Output)
  const access = (row.access ?? 'user') as A
  return { fresh: isPermission(access) && method !== 'GET', ...row, access, method, path, input, output }
}

/** Calls without output: any 2xx counts as success and the body is ignored. */
export const isNothing = (output: z.ZodMiniType) => output === nothing
