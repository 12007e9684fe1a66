import { newId } from '../basics.ts'
import { readSandboxFile } from '../files.ts'

type TextFields<Names extends string> = Record<Names, string | null>
type NumberFields<Names extends string> = Record<Names, number | null>
type WithMetadata = { metadata: Record<string, string> }

export type CollectionMethod = 'charge_automatically' | 'send_invoice'
export type PausedCollection = { behavior: 'keep_as_draft' | 'mark_uncollectible' | 'void'; resumes_at: number | null }

/** Only the fields of `blank.json` that the sandbox changes or reads. */
type TypedFields = {
  charge: TextFields<'balance_transaction'>
  coupon: TextFields<'name'>
  customer: WithMetadata & TextFields<'currency' | 'email' | 'name'> & { balance: number }
  invoice: NumberFields<'automatically_finalizes_at' | 'due_date' | 'next_payment_attempt'> &
    Record<'amount_paid' | 'attempt_count', number> & { collection_method: CollectionMethod }
  invoiceitem: WithMetadata & TextFields<'invoice'>
  payment_intent: NumberFields<'canceled_at'> & TextFields<'latest_charge' | 'payment_method'>
  payment_method: TextFields<'customer'>
  price: WithMetadata & TextFields<'lookup_key' | 'nickname'>
  product: TextFields<'tax_code'>
  refund: WithMetadata & TextFields<'balance_transaction'> & { failure_balance_transaction?: string }
  setup_intent: TextFields<'payment_method'>
  subscription: WithMetadata &
    NumberFields<'cancel_at' | 'canceled_at' | 'days_until_due' | 'ended_at' | 'trial_end' | 'trial_start'> &
    TextFields<'default_payment_method' | 'latest_invoice' | 'schedule'> & {
      collection_method: CollectionMethod
      pause_collection: PausedCollection | null
    }
  subscription_schedule: NumberFields<'released_at'> & TextFields<'released_subscription'>
}

/** Constant fields of a kind; `null` lists the names of fields that are null, separated by spaces. */
type Blank = { null?: string; [field: string]: unknown }

const data: Record<string, Blank> = JSON.parse(readSandboxFile('objects/blank.json'))
const withNulls = ({ null: names = '', ...fields }: Blank): object => ({
  ...Object.fromEntries((names ? names.split(' ') : []).map((name) => [name, null])),
  ...fields,
})
const blanks = Object.fromEntries(Object.entries(data).map(([name, fields]) => [name, withNulls(fields)]))

export const blank = <K extends string>(object: K, prefix: string, id = newId(prefix)) => ({
  id,
  object,
  ...(blanks[object] as K extends keyof TypedFields ? TypedFields[K] : object),
})

export const blankPart = (name: string): object => blanks[name] ?? {}

export const account = {
  ...blank('account', 'acct', 'acct_1SandboxAccount0'),
  business_profile: blankPart('account.business_profile'),
}
