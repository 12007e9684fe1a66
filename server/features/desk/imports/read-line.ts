import type { ImportLine } from '#contract/desk/imports.ts'
import { email as emailField, personName } from '#contract/fields.ts'
import type { BillingType } from '#contract/statuses.ts'
import { readUsername } from '#contract/tradingview-name.ts'
import * as z from '#contract/zod.ts'

export type Subscriber = {
  email: string
  name: string
  username: string | null
  billingType: BillingType
  paidUntil: Date
}

/** What people and other shops call the two plans. */
const plans: Record<string, BillingType> = {
  monthly: 'monthly',
  month: 'monthly',
  yearly: 'yearly',
  year: 'yearly',
  annual: 'yearly',
  annually: 'yearly',
}

/** A day without a time is paid to its end. Days and months in another order would be a guess. */
const dayOrMoment = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(?::\d\d(?:\.\d+)?)?Z?)?$/

/** One line of the file, or the first thing that is wrong with it. */
export function readLine(line: ImportLine, now: Date): Subscriber | { fault: string } {
  const email = z.safeParse(emailField(z), line.email)
  if (!email.success) return { fault: faultOf(email) }
  const name = line.name ? z.safeParse(personName(z), line.name) : undefined
  if (name && !name.success) return { fault: faultOf(name) }
  const username = line.tradingViewUsername ? readUsername(line.tradingViewUsername) : undefined
  if (username && 'refusal' in username) return { fault: username.refusal }
  const plan = line.plan?.toLowerCase() ?? ''
  // Every object also has a `constructor`.
  const billingType = Object.hasOwn(plans, plan) ? plans[plan] : undefined
  if (!billingType) return { fault: 'The plan must be monthly or yearly' }
  const [, day, time = '23:59'] = dayOrMoment.exec(line.paidUntil ?? '') ?? []
  const paidUntil = new Date(`${day}T${time}Z`)
  // `2026-02-31` would become March 3.
  if (Number.isNaN(paidUntil.getTime()) || paidUntil.toISOString().slice(0, 10) !== day)
    return { fault: 'Please write “paid until” like 2026-12-31' }
  if (paidUntil <= now) return { fault: '“Paid until” is in the past' }
  return {
    email: email.data,
    name: name?.data ?? '',
    username: username?.username ?? null,
    billingType,
    paidUntil,
  }
}

const faultOf = ({ error }: { error: { issues: { message: string }[] } }) =>
  error.issues[0]?.message ?? 'Please check this line'
