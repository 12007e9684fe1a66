import { Refusal } from '../../errors.ts'
import { type Client, idOf, isMissing, isRefused } from './client.ts'
import { type Invoicing, type Place, taxIdTypeOf } from './taxes.ts'

/** What a buyer wants on their invoices. */
type BillingDetails = {
  name: string
  company: string
  street: string
  postalCode: string
  city: string
  country: string
  vatId: string
}

const wrongVatId = () =>
  new Refusal(400, 'invalid-input', 'Please check the VAT ID', {
    fields: { vatId: 'Please check the VAT ID' },
  })

/** Customers, what is on their invoices, and the cards they pay with. */
export function customerCalls({ sdk, ask, orMissing }: Client, invoices: Invoicing) {
  /** The one VAT ID of a customer; an empty one removes it. */
  async function setVatId(customer: string, vatId: string) {
    const { data } = await ask(sdk.customers.listTaxIds(customer, { limit: 100 }))
    if (!data.some(({ value }) => value === vatId) && vatId) {
      const type = taxIdTypeOf(vatId)
      if (!type) throw wrongVatId()
      const isWrong = (error: unknown) => isRefused(error, { code: 'tax_id_invalid' })
      await ask(sdk.customers.createTaxId(customer, { type, value: vatId }), isWrong).catch(
        (error: unknown) => {
          throw isWrong(error) ? wrongVatId() : error
        },
      )
    }
    for (const { id, value } of data) if (value !== vatId) await orMissing(sdk.taxIds.del(id))
  }

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
    async create(wanted: { attempt: string; email: string; name?: string }): Promise<string> {
      const { attempt, email, name } = wanted
      const { id } = await ask(
        sdk.customers.create(
          {
            email,
            ...(name ? { name } : {}),
            ...(invoices.footer ? { invoice_settings: { footer: invoices.footer } } : {}),
            metadata: { checkout: attempt },
          },
          { idempotencyKey: `customer-${attempt}` },
        ),
      )
      return id
    },

    /** A customer deleted at Stripe stays deleted. */
    async update(id: string, { name, email }: { name: string; email: string }) {
      await orMissing(sdk.customers.update(id, { name, email }))
    },

    /** Where the buyer is, for tax; a VAT ID makes it a company's. A deleted customer is the next call's problem. */
    async place(id: string, { country, postalCode, vatId, ip }: Place) {
      try {
        await ask(
          sdk.customers.update(id, {
            address: { country, postal_code: postalCode },
            tax: { ip_address: ip },
          }),
          isMissing,
        )
        if (vatId) await setVatId(id, vatId)
      } catch (error) {
        if (!isMissing(error)) throw error
      }
    },

    /** For the next invoice; those already issued stay as they are. */
    async setBillingDetails(id: string, details: BillingDetails) {
      const { name, company, street, postalCode, city, country, vatId } = details
      const found = await orMissing(
        sdk.customers.update(id, {
          name: company || name,
          address: { line1: street, postal_code: postalCode, city, country },
        }),
      )
      if (found) await setVatId(id, vatId)
    },

    async remove(id: string) {
      await orMissing(sdk.customers.del(id))
    },

    /** The customer behind an id or an invoice number, if Stripe knows it. */
    find: async (reference: string): Promise<string | undefined> =>
      idOf(await customerIn(reference)) ?? undefined,

    /** Cards only: anything else the account has turned on could not be charged at the next renewal. */
    async createSetupIntent(customer: string) {
      const intent = await ask(
        sdk.setupIntents.create({ customer, usage: 'off_session', allowed_payment_method_types: ['card'] }),
      )
      return intent.client_secret ?? ''
    },

    /** The card that a finished setup stored for this customer; nothing for anyone else's. */
    async storedCard(setupIntentId: string, customer: string): Promise<string | undefined> {
      const intent = await orMissing(sdk.setupIntents.retrieve(setupIntentId))
      if (!intent || intent.status !== 'succeeded' || idOf(intent.customer) !== customer) return undefined
      return idOf(intent.payment_method) ?? undefined
    },
  }
}
