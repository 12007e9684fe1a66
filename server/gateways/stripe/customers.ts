import { Refusal } from '../../errors.ts'
import { type Client, isMissing, isRefused } from './answers.ts'
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

  return {
    async createCustomer(wanted: { attempt: string; email: string; name?: string }): Promise<string> {
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
    async updateCustomer(id: string, { name, email }: { name: string; email: string }) {
      await orMissing(sdk.customers.update(id, { name, email }))
    },

    /** Where the buyer is, for tax; a VAT ID makes it a company's. A deleted customer is the next call's problem. */
    async placeCustomer(id: string, { country, postalCode, vatId, ip }: Place) {
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

    async deleteCustomer(id: string) {
      await orMissing(sdk.customers.del(id))
    },
  }
}
