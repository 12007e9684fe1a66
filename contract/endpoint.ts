import * as z from 'zod/mini'
import { id } from './fields.ts'
import { isPermission, type Permission } from './permissions.ts'

/** `user` is anyone logged in. `server/http/gate.ts` enforces it. */
export type Access = 'public' | 'user' | Permission

export type Caller = 'none' | 'optional'

/** Format of the answer. A `list` has a `Link` header to its next page. `later` may answer 202: try again soon. */
export type Answer = 'json' | 'list' | 'csv' | 'html' | 'redirect' | 'later'

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'
type Path = `/api/${string}`
type Fields = z.ZodMiniType<Record<string, unknown>, Record<string, unknown>>

export type Endpoint<Input extends Fields = Fields, Output extends z.ZodMiniType = z.ZodMiniType> = {
  method: Method
  /** Segments like `:id` come from the input; other fields travel as query (GET, DELETE) or JSON body. */
  path: Path
  access: Access
  /** `optional` looks up the session of a public call, which costs a database query. */
  caller?: Caller
  /**
   * Requires a recent proof of identity (`server/http/gate.ts`). `or password` accepts a password in the input instead.
   * `today` accepts a proof of the last 24 hours from accounts without a second factor.
   */
  fresh?: boolean | 'or password' | 'today'
  /** Requires an account with a proven address. */
  proven?: true
  /** Allowed to staff who must still set up a second factor; they may make no other call. */
  duringFactorSetup?: true
  summary: string
  input: Input
  output: Output
  answer?: Answer
  /** Rate limit for each account, or for each network if the call is public. Without it, the general limit applies. */
  limit?: { requests: number; seconds: number }
}

/** Callers use the first two types, handlers the others. */
export type InputOf<E extends Endpoint> = z.input<E['input']>
export type OutputOf<E extends Endpoint> = z.output<E['output']>
export type ParsedInputOf<E extends Endpoint> = z.output<E['input']>
export type RawOutputOf<E extends Endpoint> = z.input<E['output']>

const emptyObject = z.strictObject({})
const idObject = z.strictObject({ id })
type EmptyObject = typeof emptyObject
type DefaultInputs = { id: typeof idObject; none: EmptyObject }
type DefaultInput<Address> = DefaultInputs[Address extends `${string}/:id` | `${string}/:id/${string}` ? 'id' : 'none']

type EndpointDefinition<Input extends Fields, Output extends z.ZodMiniType> = Omit<
  Endpoint<Input, Output>,
  'method' | 'path' | 'access' | 'input' | 'output'
> & { input?: Input; output?: Output }

/** Admin calls name a permission; other calls need a login unless `access` is `public`. */
type AccessOf<Address, AccessLevel> = Address extends `${string} /api/admin${string}`
  ? { access: AccessLevel & Permission }
  : { access?: AccessLevel & ('public' | 'user') }

/** By default, the input is the `:id` of the path, the output is empty, and changes by staff are `fresh`. */
export function endpoint<
  const Address extends `${Method} ${Path}`,
  Input extends Fields = DefaultInput<Address>,
  Output extends z.ZodMiniType = EmptyObject,
  const AnswerFormat extends Answer = 'json',
  const CallerLookup extends Caller = 'none',
  const AccessLevel extends Access = 'user',
>(
  address: Address,
  definition: EndpointDefinition<Input, Output> &
    AccessOf<Address, AccessLevel> & { answer?: AnswerFormat; caller?: CallerLookup },
) {
  const [method, path] = address.split(' ') as [Method, Path]
  const defaultInput = /\/:id(\/|$)/.test(path) ? idObject : emptyObject
  const input = definition.input ?? (defaultInput as unknown as Input)
  const output = definition.output ?? (emptyObject as unknown as Output)
  const access = (definition.access ?? 'user') as AccessLevel
  const isStaffChange = isPermission(access) && method !== 'GET'
  return { fresh: isStaffChange, ...definition, access, method, path, input, output }
}

/** True for a call without output: any 2xx counts as success and the body is ignored. */
export const isEmptyOutput = (output: z.ZodMiniType) => output === emptyObject
