import type { Stripe } from 'stripe'
import type { BillingDetails } from '#contract/selling/billing.ts'
import { invalid } from '../../errors.ts'
import { type BuyerPlace, type Invoicing, taxIdTypeOf } from './amounts.ts'
import { type Client, idOf, isMissing, isRefused } from './client.ts'

/** Street and city may be empty. */
type Address = Pick<BillingDetails, 'street' | 'postalCode' | 'city' | 'country'>

const vatIdRefusal = () => invalid('vatId', 'Please check the VAT ID')

/** Sends every field: Stripe may drop fields that an address leaves out. */
const addressOf = ({ street, postalCode, city, country }: Address) => ({
  line1: street,
  postal_code: postalCode,
  city,
  country,
})

const isInvalidLocation = (error: unknown) => isRefused(error, { code: 'customer_tax_location_invalid' })

export function customerCalls({ sdk, ask, orNothing }: Client, invoices: Invoicing) {
  /** An empty VAT ID removes the present one. */
  async function setVatId(customer: string, vatId: string) {
    const { data: storedIds } = await ask(sdk.customers.listTaxIds(customer, { limit: 100 }))
    const isStored = storedIds.some(({ value }) => value === vatId)
    if (vatId && !isStored) {
      const type = taxIdTypeOf(vatId)
      if (!type) throw vatIdRefusal()
      const isWrong = (error: unknown) => isRefused(error, { code: 'tax_id_invalid' })
      await ask(sdk.customers.createTaxId(customer, { type, value: vatId }), isWrong).catch((error: unknown) => {
        throw isWrong(error) ? vatIdRefusal() : error
      })
    }
    for (const { id, value } of storedIds) if (value !== vatId) await orNothing(sdk.taxIds.del(id))
  }

  /** Stripe validates the address if tax depends on it. Undefined if the customer is deleted. */
  async function updateAddress(id: string, { name, ip, ...address }: Address & { name?: string; ip?: string }) {
    const tax: Stripe.CustomerUpdateParams.Tax = {}
    if (ip) tax.ip_address = ip
    if (invoices.automaticTax && address.country) tax.validate_location = 'immediately'
    const params: Stripe.CustomerUpdateParams = { address: addressOf(address), tax }
    if (name) params.name = name
    try {
      return await ask(sdk.customers.update(id, params), (error) => isMissing(error) || isInvalidLocation(error))
    } catch (error) {
      if (isMissing(error)) return undefined
      if (!isInvalidLocation(error)) throw error
      throw address.postalCode
        ? invalid('postalCode', 'Please check the postal code')
        : invalid('country', 'Please check the country')
    }
  }

  return {
    async create({ attempt, email, name }: { attempt: string; email: string; name?: string }): Promise<string> {
      const params: Stripe.CustomerCreateParams = { email, metadata: { checkout: attempt } }
      if (name) params.name = name
      if (invoices.footer) params.invoice_settings = { footer: invoices.footer }
      const { id } = await ask(sdk.customers.create(params, { idempotencyKey: `customer-${attempt}` }))
      return id
    },

    footer: () => invoices.footer,

    async setFooter(id: string, footer: string) {
      await orNothing(sdk.customers.update(id, { invoice_settings: { footer } }))
    },

    async update(id: string, { name, email }: { name: string; email: string }) {
      await orNothing(sdk.customers.update(id, { name, email }))
    },

    /** Ignores a deleted customer, which the next call reports. Leaves the VAT ID unchanged if `vatId` is undefined. */
    async setPlace(
      id: string,
      { vatId, ...address }: Omit<BuyerPlace, 'vatId'> & Address & { vatId: string | undefined },
    ) {
      const customer = await updateAddress(id, address)
      if (customer && vatId !== undefined) await setVatId(id, vatId)
    },

    /** Leaves the VAT ID unchanged if `vatId` is undefined. */
    async setBillingDetails(
      id: string,
      details: Omit<BillingDetails, 'vatId'> & { name: string; vatId: string | undefined },
    ) {
      const { name, company, street, postalCode, city, country, vatId } = details
      const customer = await updateAddress(id, { street, postalCode, city, country, name: company || name })
      if (customer && vatId !== undefined) await setVatId(id, vatId)
    },

    async remove(id: string) {
      await orNothing(sdk.customers.del(id))
    },

    /** Allows only cards, because other payment methods of the account cannot be charged at a renewal. */
    async createSetupIntent(customer: string) {
      const intent = await ask(
        sdk.setupIntents.create({ customer, usage: 'off_session', allowed_payment_method_types: ['card'] }),
      )
      return intent.client_secret ?? ''
    },

    /** Undefined for another customer's setup. */
    async storedCard(setupIntentId: string, customer: string): Promise<string | undefined> {
      const intent = await orNothing(sdk.setupIntents.retrieve(setupIntentId))
      if (!intent || intent.status !== 'succeeded' || idOf(intent.customer) !== customer) return undefined
      return idOf(intent.payment_method) ?? undefined
    },
  }
}
