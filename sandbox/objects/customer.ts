import { newId, randomText } from '../identifiers.ts'

export type Address = Record<'city' | 'country' | 'line1' | 'line2' | 'postal_code' | 'state', string | null>
type Given = { now: number; email: string | null; name: string | null; testClock: string | null }

export const newCustomer = ({ now, email, name, testClock }: Given) => ({
  id: newId('cus'),
  object: 'customer' as const,
  address: null as Address | null,
  balance: 0,
  created: now,
  currency: null as string | null,
  customer_account: null,
  default_source: null,
  delinquent: false,
  description: null as string | null,
  discount: null,
  email,
  invoice_prefix: randomText(8).toUpperCase(),
  invoice_settings: {
    custom_fields: null,
    default_payment_method: null as string | null,
    footer: null as string | null,
    rendering_options: null,
  },
  livemode: false,
  metadata: {} as Record<string, string>,
  name,
  next_invoice_sequence: 1,
  phone: null as string | null,
  preferred_locales: [] as string[],
  shipping: null,
  tax_exempt: 'none' as const,
  test_clock: testClock,
})

export type Customer = ReturnType<typeof newCustomer>

/** What is left of a customer, for anyone who still knows its id. */
export const deletedCustomer = (id: string) => ({ id, object: 'customer' as const, deleted: true as const })

export type DeletedCustomer = ReturnType<typeof deletedCustomer>
