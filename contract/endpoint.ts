import * as z from 'zod/mini'
import { optionalText } from './fields.ts'

/** Who may call: anyone, anyone logged in, or the seller's admins. `server/http/mount.ts` enforces it. */
export type Access = 'public' | 'user' | 'admin'

/** How the answer arrives: as JSON, as a list with a `Link` header to its next page, as a file, or as a redirect. */
export type Answer = 'json' | 'list' | 'csv' | 'redirect'

type Schema = z.ZodMiniType
type Fields = z.ZodMiniType<Record<string, unknown>, Record<string, unknown>>

export type Endpoint<Input extends Fields = Fields, Output extends Schema = Schema> = {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** Segments like `:id` are taken from the input, the rest of it travels as query (GET, DELETE) or JSON body. */
  path: `/api/${string}`
  access: Access
  summary: string
  input: Input
  output: Output
  answer?: Answer
  /** How often one address may call; without it the shop's general limit holds. */
  limit?: { requests: number; seconds: number }
}

/** What a caller passes and gets; what a handler gets and returns. */
export type InputOf<E extends Endpoint> = z.input<E['input']>
export type OutputOf<E extends Endpoint> = z.output<E['output']>
export type ParsedInputOf<E extends Endpoint> = z.output<E['input']>
export type RawOutputOf<E extends Endpoint> = z.input<E['output']>

export function endpoint<
  const A extends Access,
  Input extends Fields,
  Output extends Schema,
  const R extends Answer = 'json',
>(row: Endpoint<Input, Output> & { access: A; answer?: R }) {
  return row
}

export const nothing = z.strictObject({})

export const longestPage = 200

/** Every list pages the same way: newest first by an opaque cursor, the first 100 when nothing is said. */
export const paging = {
  limit: z._default(z.coerce.number().check(z.int(), z.minimum(1), z.maximum(longestPage)), 100),
  cursor: z.optional(z.string().check(z.maxLength(200))),
  q: optionalText(100),
}

export const sort = z.optional(z.enum(['newest', 'oldest']))
