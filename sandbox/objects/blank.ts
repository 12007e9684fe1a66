import { newId } from '../basics.ts'
import { readSandboxFile } from '../files.ts'

type Texts<Names extends string> = Record<Names, string | null>
type Times<Names extends string> = Record<Names, number | null>
type Noted = { metadata: Record<string, string> }

export type CollectionMethod = 'charge_automatically' | 'send_invoice'
export type PausedCollection = { behavior: 'keep_as_draft' | 'mark_uncollectible' | 'void'; resumes_at: number | null }

/** Fields of `blank.json` that the sandbox changes or reads. */
type Known = {
  charge: Texts<'balance_transaction'>
  coupon: Texts<'name'>
  customer: Noted & Texts<'currency' | 'email' | 'name'> & { balance: number }
  invoice: Times<'automatically_finalizes_at' | 'due_date' | 'next_payment_attempt'> &
    Record<'amount_paid' | 'attempt_count', number> & { collection_method: CollectionMethod }
  invoiceitem: Noted & Texts<'invoice'>
  payment_intent: Times<'canceled_at'> & Texts<'latest_charge' | 'payment_method'>
  payment_method: Texts<'customer'>
  price: Noted & Texts<'lookup_key' | 'nickname'>
  product: Texts<'tax_code'>
  refund: Noted & Texts<'balance_transaction'> & { failure_balance_transaction?: string }
  setup_intent: Texts<'payment_method'>
  subscription: Noted &
    Times<'cancel_at' | 'canceled_at' | 'days_until_due' | 'ended_at' | 'trial_end' | 'trial_start'> &
    Texts<'default_payment_method' | 'latest_invoice' | 'schedule'> & {
      collection_method: CollectionMethod
      pause_collection: PausedCollection | null
    }
  subscription_schedule: Times<'released_at'> & Texts<'released_subscription'>
}

type Blank = { null?: string; [field: string]: unknown }
const data: Record<string, Blank> = JSON.parse(readSandboxFile('objects/blank.json'))
const withNulls = ({ null: names = '', ...fields }: Blank): object => ({
  ...Object.fromEntries((names ? names.split(' ') : []).map((name) => [name, null])),
  ...fields,
})
const blanks = Object.fromEntries(Object.entries(data).map(([name, fields]) => [name, withNulls(fields)]))

/** A new object with everything that Stripe's objects of this kind have when nothing has happened yet. */
export const blank = <K extends string>(object: K, prefix: string, id = newId(prefix)) => ({
  id,
  object,
  ...(blanks[object] as K extends keyof Known ? Known[K] : object),
})

/** The fields of a nested object that never change, such as `charge.outcome`. */
export const blankPart = (name: string): object => blanks[name] ?? {}

export const account = {
  ...blank('account', 'acct', 'acct_1SandboxAccount0'),
  business_profile: blankPart('account.business_profile'),
}
