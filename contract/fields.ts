import * as z from 'zod/mini'
import { roles } from './permissions.ts'
import { billingTypes } from './plans.ts'

export const id = z.uuid('This is not a valid id')

/** PostgreSQL can't store NUL or, in JSON, a lone surrogate. */
const canBeStored = z.refine<string>(
  (typed: string) => !typed.includes('\u0000') && typed.isWellFormed(),
  'Please remove the invisible characters',
)

/** Text made by a program, such as a token, a cursor or a slug. */
export const opaqueText = (max: number, message?: string) =>
  z.string(message).check(z.maxLength(max, message), canBeStored)

/** A whole number that fits PostgreSQL's `integer`. */
export const wholeNumber = (message?: string) => z.int(message).check(z.minimum(0), z.maximum(2_147_483_647))

export function text(max: number, required: string) {
  return z
    .string(required)
    .check(z.trim(), z.minLength(1, required), z.maxLength(max, `Please use at most ${max} characters`), canBeStored)
}

export function optionalText(max: number) {
  return z.optional(z.string().check(z.trim(), z.maxLength(max, `Please use at most ${max} characters`), canBeStored))
}

const emailMessage = 'Please enter a valid email address'
/** Lower case, because addresses are compared without case. */
export const email = z
  .string(emailMessage)
  .check(z.trim(), z.toLowerCase(), z.maxLength(254, emailMessage), z.email(emailMessage))

export const optionalEmail = z.optional(
  z.nullable(
    z.string(emailMessage).check(
      z.trim(),
      z.toLowerCase(),
      z.refine<string>((typed) => !typed || z.safeParse(email, typed).success, emailMessage),
    ),
  ),
)

export const maxPasswordLength = 128

function password(min: number) {
  const message = `Password must be at least ${min} characters long`
  return z
    .string(message)
    .check(
      z.minLength(min, message),
      z.maxLength(maxPasswordLength, `Password must be at most ${maxPasswordLength} characters long`),
      canBeStored,
    )
}
export const signUpPassword = password(8)
export const resetPassword = password(6)
/** A password to compare with the stored one. Its length is capped, because hashing is expensive. */
export const existingPassword = z
  .string('Please enter your password')
  .check(
    z.minLength(1, 'Please enter your password'),
    z.maxLength(maxPasswordLength, 'Invalid email or password'),
    canBeStored,
  )

/** Refuses line breaks, which could add text to an email, and direction marks, which could disguise a name. */
export const isOneLine = (typed: string) => !/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u.test(typed)
const invisibleMessage = 'Please remove the line breaks and invisible characters'

export const line = (max: number, required: string) =>
  text(max, required).check(z.refine<string>(isOneLine, invisibleMessage))
export const optionalLine = (max: number) =>
  optionalText(max).check(z.refine<string | undefined>((typed) => isOneLine(typed ?? ''), invisibleMessage))

const incompleteLinkMessage = 'This link is incomplete. Please open it from the email again.'

/** Path of a page of this shop. No `//` or `/\` at the start, because browsers take the rest for the host of another site. */
export const shopPath = opaqueText(2000).check(z.regex(/^\/([!-.0-[\]-~][!-~]*)?$/, 'This is not a page of this shop'))

/** The id and token in an emailed link that works without a login. */
export const mailedLink = z.strictObject({ id, token: opaqueText(100, incompleteLinkMessage) })

export const paymentIntentId = z
  .string('No payment information found.')
  .check(z.regex(/^pi_[A-Za-z0-9_]{1,200}$/, 'No payment information found.'))

export const setupIntentId = z.string().check(z.regex(/^seti_[A-Za-z0-9_]{1,200}$/, 'No card information found.'))

export const billingType = z.enum(billingTypes)

/** Stripe's maximum is 999,999.99. */
export const cents = z
  .int('Please enter an amount')
  .check(z.minimum(0, 'The amount cannot be negative'), z.maximum(99_999_999, 'The amount is too high'))

/** A point in time: `Date` on the server, ISO 8601 text on the wire. */
export const instant = z.codec(z.date(), z.iso.datetime(), {
  decode: (date) => date.toISOString(),
  encode: (iso) => new Date(iso),
})

const dayPattern = /^[1-9]\d{3}-\d\d-\d\d$/

/** True for a day of the calendar, such as 2026-12-31. Years begin with 1000, because PostgreSQL has no year 0. */
export function isDay(typed: string) {
  const date = new Date(`${typed}T00:00:00Z`)
  if (!dayPattern.test(typed) || Number.isNaN(date.getTime())) return false
  // JavaScript turns February 31 into March 3.
  return date.toISOString().startsWith(typed)
}

const dayText = z
  .string('Please choose a day')
  .check(z.regex(dayPattern, 'Please choose a day'), z.refine<string>(isDay, 'There is no such day'))

/** Parses a day like 2026-12-31 to its midnight, 00:00 UTC. */
export const firstDay = z.pipe(
  dayText,
  z.transform((typed: string) => new Date(`${typed}T00:00:00Z`)),
)

/** Parses a day like 2026-12-31 to its last minute, 23:59 UTC. */
export const lastDay = z.pipe(
  dayText,
  z.transform((typed: string) => new Date(`${typed}T23:59:00Z`)),
)

/** Slug of a product; without it, the call uses the first product. */
export const productChoice = z.strictObject({ product: z.optional(opaqueText(100)) })

export const month = z.string().check(z.regex(/^20\d\d-(0[1-9]|1[0-2])$/, 'Please enter a month like 2026-03'))

export const period = z
  .string()
  .check(z.regex(/^20\d\d(-(0[1-9]|1[0-2]))?$/, 'Please enter a month like 2026-03, or a year'))

const maxPageSize = 200

/** Input of every paged list: a cursor from the previous page, 100 entries by default. */
export const pageFields = {
  limit: z._default(z.coerce.number().check(z.int(), z.minimum(1), z.maximum(maxPageSize)), 100),
  cursor: z.optional(opaqueText(200)),
}
export const pageAndSearchFields = { ...pageFields, q: optionalText(100) }

export const sort = z.optional(z.enum(['newest', 'oldest']))

export const person = z.object({
  id,
  name: z.string(),
  email: z.string(),
  isAdmin: z.boolean(),
  role: z.nullable(z.enum(roles)),
  isProven: z.boolean(),
  /** A second factor is required and missing in this session. */
  mustSetUp: z.optional(z.boolean()),
  createdAt: instant,
})
