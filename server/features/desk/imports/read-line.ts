import type { ImportLine } from '#contract/desk/imports.ts'
import { email as emailField } from '#contract/fields.ts'
import { personName } from '#contract/person-name.ts'
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

/** A day without a time is paid to its end. The browser knows the whole file, so it is the one to read days that are written otherwise. */
const dayOrMoment = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(?::\d\d(?:\.\d+)?)?Z?)?$/

/** One line of the file, or the first thing that is wrong with it, in words for the seller, who can correct the file. */
export function readLine(line: ImportLine, now: Date): Subscriber | { fault: string } {
  if (!line.email) return { fault: 'The email is missing.' }
  const email = z.safeParse(emailField(z), line.email)
  if (!email.success)
    return { fault: `“${line.email}” isn’t an email address. Please correct it in the file.` }
  const name = line.name ? z.safeParse(personName(z), line.name) : undefined
  if (name && !name.success) return { fault: unfitName }
  const username = line.tradingViewUsername ? readUsername(line.tradingViewUsername) : undefined
  if (username && 'refusal' in username)
    return {
      fault: `“${line.tradingViewUsername}” isn’t a TradingView username. Correct it or leave it empty.`,
    }
  const plan = line.plan?.toLowerCase() ?? ''
  // Every object also has a `constructor`.
  const billingType = Object.hasOwn(plans, plan) ? plans[plan] : undefined
  if (!billingType)
    return {
      fault: `${plan ? `“${line.plan}” isn’t a plan.` : 'The plan is missing.'} Write monthly or yearly.`,
    }
  const [, day, time = '23:59'] = dayOrMoment.exec(line.paidUntil ?? '') ?? []
  const paidUntil = new Date(`${day}T${time}Z`)
  // `2026-02-31` would become March 3.
  if (Number.isNaN(paidUntil.getTime()) || paidUntil.toISOString().slice(0, 10) !== day)
    return {
      fault: `${line.paidUntil ? `“${line.paidUntil}” isn’t a day.` : 'The day in “paid until” is missing.'} Write it like 2026-12-31.`,
    }
  if (paidUntil <= now)
    return { fault: '“Paid until” is in the past. Give a later day, or remove this line.' }
  return {
    email: email.data,
    name: name?.data ?? '',
    username: username?.username ?? null,
    billingType,
    paidUntil,
  }
}

const unfitName =
  'This name has a link, an address, a phone number or over 100 characters. Shorten it or leave it empty.'
