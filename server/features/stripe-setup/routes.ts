import type { stripeSetup as contract } from '#contract/stripe-setup.ts'
import type { Handlers } from '../../http/mount.ts'
import type { StripeSetup } from './stripe-setup.ts'

export const stripeSetupRoutes = (setup: StripeSetup): Handlers<typeof contract> => ({
  adminCheck: () => setup.check(),
})
