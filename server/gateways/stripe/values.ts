import type { Stripe } from 'stripe'

/** Stripe counts in seconds, and refers to another object by its id or, when expanded, by the object itself. */
export const date = (seconds: number) => new Date(seconds * 1000)

export const dateOrNull = (seconds: number | null) => (seconds === null ? null : date(seconds))

export const idOf = (given: string | { id: string } | null | undefined) =>
  typeof given === 'string' ? given : (given?.id ?? null)

export const subscriptionOf = ({ parent }: Pick<Stripe.Invoice, 'parent'>) =>
  idOf(parent?.subscription_details?.subscription)
