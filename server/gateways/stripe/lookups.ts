import type { Client } from './answers.ts'
import { idOf } from './values.ts'

/** Finds whom something at Stripe belongs to. */
export function lookupCalls({ sdk, ask, orMissing }: Client) {
  async function customerIn(reference: string) {
    if (reference.startsWith('in_')) return (await orMissing(sdk.invoices.retrieve(reference)))?.customer
    if (reference.startsWith('pi_'))
      return (await orMissing(sdk.paymentIntents.retrieve(reference)))?.customer
    if (reference.startsWith('ch_')) return (await orMissing(sdk.charges.retrieve(reference)))?.customer
    if (reference.startsWith('sub_'))
      return (await orMissing(sdk.subscriptions.retrieve(reference)))?.customer
    if (reference.startsWith('re_')) {
      const charge = idOf((await orMissing(sdk.refunds.retrieve(reference)))?.charge)
      return charge ? (await ask(sdk.charges.retrieve(charge))).customer : undefined
    }
    const query = `number:"${reference.toUpperCase()}"`
    const { data } = await ask(sdk.invoices.search({ query, limit: 1 }))
    return data[0]?.customer
  }

  return {
    /** The customer behind an id or an invoice number, if Stripe knows it. */
    customerOf: async (reference: string): Promise<string | undefined> =>
      idOf(await customerIn(reference)) ?? undefined,
  }
}
