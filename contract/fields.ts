import { z } from 'zod'
import { billingTypes } from './billing-types.ts'
import { roles } from './roles.ts'

// Compiled parsers need `eval`, which the site's content security policy forbids.
z.config({ jitless: true })

export const id = z.uuid('This is not a valid id')

// PostgreSQL can't store NUL or, in JSON, a lone surrogate; no honest form sends either.
const canBeStored = (typed: string) => !typed.includes('\u0000') && typed.isWellFormed()
const unstorable = 'Please remove the invisible characters'

export function text(max: number, required: string) {
  return z
    .string(required)
    .trim()
    .min(1, required)
    .max(max, `Please use at most ${max} characters`)
    .refine(canBeStored, unstorable)
}

export function optionalText(max: number) {
  return z.string().trim().max(max, `Please use at most ${max} characters`).refine(canBeStored, unstorable).optional()
}

const emailMessage = 'Please enter a valid email address'
/** Case-insensitive, so stored in lower case. */
export const email = z.string(emailMessage).trim().toLowerCase().max(254, emailMessage).check(z.email(emailMessage))

/** Empty or null counts as left out. */
export const optionalEmail = z
  .string(emailMessage)
  .trim()
  .toLowerCase()
  .refine((typed) => !typed || email.safeParse(typed).success, emailMessage)
  .nullable()
  .optional()

function password(min: number) {
  const message = `Password must be at least ${min} characters long`
  return z
    .string(message)
    .min(min, message)
    .max(128, 'Password must be at most 128 characters long')
    .refine(canBeStored, unstorable)
}
export const signUpPassword = password(8)
export const resetPassword = password(6)
/** Login accepts any password; only its length is capped, because hashing is expensive. */
export const givenPassword = z
  .string('Please enter your password')
  .min(1, 'Please enter your password')
  .max(128, 'Invalid email or password')

// Line breaks would make a name a message of its own, and marks of direction make it read as another one.
export const isOneLine = (typed: string) => !/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u.test(typed)
const invisible = 'Please remove the line breaks and invisible characters'

export const line = (max: number, required: string) => text(max, required).refine(isOneLine, invisible)
export const optionalLine = (max: number) => optionalText(max).refine((typed) => isOneLine(typed ?? ''), invisible)

const uselessLink = 'This link is incomplete. Please open it from the email again.'

/** Both parts of an emailed link that works without logging in. */
export const mailedLink = z.strictObject({ id, token: z.string(uselessLink).max(100, uselessLink) })

export const paymentIntentId = z
  .string('No payment information found.')
  .regex(/^pi_[A-Za-z0-9_]{1,200}$/, 'No payment information found.')

export const setupIntentId = z.string().regex(/^seti_[A-Za-z0-9_]{1,200}$/, 'No card information found.')

export const billingType = z.enum(billingTypes)

/** The maximum is Stripe's: 999,999.99. */
export const cents = z
  .int('Please enter an amount')
  .min(0, 'The amount cannot be negative')
  .max(99_999_999, 'The amount is too high')

/** A point in time: a Date inside the server, ISO text on the wire. */
export const instant = z.codec(z.date(), z.iso.datetime(), {
  decode: (date) => date.toISOString(),
  encode: (iso) => new Date(iso),
})

/** A day someone chose, like 2026-12-31: until its end, in the shop's time. */
export const day = z
  .string('Please choose a day')
  .regex(/^\d{4}-\d\d-\d\d$/, 'Please choose a day')
  .refine((typed) => !Number.isNaN(Date.parse(typed)), 'There is no such day')
  .transform((typed: string) => new Date(`${typed}T23:59:00Z`))

/** A product by its slug; the first one, if none is named. */
export const whichProduct = z.strictObject({ product: z.string().max(100).optional() })

export const month = z.string().regex(/^20\d\d-(0[1-9]|1[0-2])$/, 'Please enter a month like 2026-03')

export const period = z.string().regex(/^20\d\d(-(0[1-9]|1[0-2]))?$/, 'Please enter a month like 2026-03, or a year')

const longestPage = 200

/** Every list pages the same way: newest first, by an opaque cursor, 100 at a time by default. */
export const pages = {
  limit: z.coerce.number().int().min(1).max(longestPage).default(100),
  cursor: z.string().max(200).optional(),
}
export const paging = { ...pages, q: optionalText(100) }

export const sort = z.enum(['newest', 'oldest']).optional()

export const person = z.object({
  id,
  name: z.string(),
  email: z.string(),
  isAdmin: z.boolean(),
  role: z.enum(roles).nullable(),
  /** Whether an emailed link has shown that the address is theirs. */
  isProven: z.boolean(),
  /** Where a second step is required and this session had none. */
  mustSetUp: z.boolean().optional(),
  createdAt: instant,
})
