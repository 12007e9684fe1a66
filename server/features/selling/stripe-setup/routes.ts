import type { stripeSetup as contract } from '#contract/selling/stripe-setup.ts'
import type { Handlers } from '#server/http/mount.ts'
import type { StripeSetup } from './stripe-setup.ts'

export const stripeSetupRoutes = (setup: StripeSetup): Handlers<typeof contract> => ({
  adminCheck: () => setup.check(),
})
