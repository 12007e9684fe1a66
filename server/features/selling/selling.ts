import { contract } from '#contract/index.ts'
import type { Context, PeoplesRoom } from '#server/context.ts'
import type { StripeGateway } from '#server/gateways/stripe.ts'
import type { Doors } from '#server/http/mount.ts'
import { mountWebhook } from '#server/http/webhook.ts'
import type { Identity } from '../identity/identity.ts'
import { catalogRoutes } from './catalog/routes.ts'
import { createCheckout, createCheckouts, createCustomers, wantedPrices } from './checkout/checkout.ts'
import { billingRoutes, checkoutRoutes } from './checkout/routes.ts'
import { checkoutSchedules } from './checkout/schedules.ts'
import { createDeclarations } from './declarations/declarations.ts'
import { declarationRoutes } from './declarations/routes.ts'
import { declarationSchedules } from './declarations/schedules.ts'
import { type AccessEffects, createPurchases, eventTypes } from './purchases/purchases.ts'
import { purchaseRoutes } from './purchases/routes.ts'
import { purchaseSchedules } from './purchases/schedules.ts'
import { seatRoutes } from './seats/routes.ts'
import { seatSchedules } from './seats/schedules.ts'
import { createSeats } from './seats/seats.ts'
import { stripeSetupRoutes } from './stripe-setup/routes.ts'
import { createStripeSetup } from './stripe-setup/stripe-setup.ts'

type Others = { stripe: StripeGateway; identity: Identity; access: AccessEffects }

export type Selling = ReturnType<typeof openSelling>

/** What people buy and pay. */
export function openSelling(context: Context, { stripe, identity, access }: Others) {
  const { config, log, securityLog } = context
  const { consumerLaw } = config
  const { accounts, questions, beginSession } = identity
  const customers = createCustomers({ ...context, stripe })
  const checkouts = createCheckouts(context)
  const seats = createSeats(context)
  const purchases = createPurchases({ ...context, stripe, accounts, checkouts, access, seats, consumerLaw })
  const checkout = createCheckout({
    ...context,
    stripe,
    checkouts,
    customers,
    purchases,
    questions,
    seats,
    wantsTax: config.tax.mode === 'stripe',
  })
  const declarations = createDeclarations({ ...context, purchases, consumerLaw })
  const stripeSetup = createStripeSetup({
    ...context,
    stripe,
    secretKey: config.stripe?.secretKey,
    publicUrl: config.publicUrl,
    events: eventTypes,
    prices: wantedPrices(),
  })
  const people: PeoplesRoom[] = [purchases, checkouts, customers, seats, declarations]

  return {
    customers,
    checkouts,
    seats,
    purchases,
    checkout,
    declarations,
    people,
    schedules: [
      checkoutSchedules(checkouts),
      purchaseSchedules(purchases),
      declarationSchedules(declarations),
      seatSchedules(seats),
    ],

    /** Startup must not depend on it: the next checkout tries again. */
    async prepare() {
      await checkout.ensurePrices((error) =>
        log.error({ err: error }, 'a price is not ready at Stripe; the next checkout will try again'),
      )
      if (config.stripe)
        stripeSetup
          .warn()
          .catch((error: unknown) => log.error({ err: error }, 'could not check the Stripe setup'))
    },

    async mount({ app, mount, checkoutCookie }: Doors) {
      mount(contract.catalog, catalogRoutes)
      mount(contract.checkout, checkoutRoutes({ checkout, beginSession, checkoutCookie, securityLog }))
      mount(contract.billing, billingRoutes(customers))
      mount(contract.purchases, purchaseRoutes(purchases))
      await mountWebhook(app, { read: stripe.readEvent, receive: purchases.receiveEvent })
      mount(contract.seats, seatRoutes(seats))
      mount(contract.declarations, declarationRoutes(declarations))
      mount(contract.stripeSetup, stripeSetupRoutes(stripeSetup))
    },
  }
}
