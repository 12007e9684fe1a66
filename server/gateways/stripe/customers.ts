import type { Client } from './answers.ts'

export function customerCalls({ sdk, ask, orMissing }: Client) {
  return {
    async createCustomer(wanted: { attempt: string; email: string; name?: string }): Promise<string> {
      const { attempt, email, name } = wanted
      const { id } = await ask(
        sdk.customers.create(
          { email, ...(name ? { name } : {}), metadata: { checkout: attempt } },
          { idempotencyKey: `customer-${attempt}` },
        ),
      )
      return id
    },

    /** A customer deleted at Stripe stays deleted. */
    async updateCustomer(id: string, { name, email }: { name: string; email: string }) {
      await orMissing(sdk.customers.update(id, { name, email }))
    },

    async deleteCustomer(id: string) {
      await orMissing(sdk.customers.del(id))
    },
  }
}
