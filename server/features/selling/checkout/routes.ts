import type { billing } from '#contract/selling/billing.ts'
import type { checkout as contract } from '#contract/selling/checkout.ts'
import type { Authenticated } from '#server/features/identity/sessions/sessions.ts'
import type { BeginSession } from '#server/http/begin-session.ts'
import type { CheckoutCookie } from '#server/http/checkout-cookie.ts'
import type { Handlers } from '#server/http/mount.ts'
import type { SecurityLog } from '#server/security/security-log.ts'
import type { Checkout } from './checkout.ts'
import type { Customers } from './stripe-customers.ts'

type Dependencies = {
  checkout: Checkout
  beginSession: BeginSession<Authenticated>
  checkoutCookie: CheckoutCookie
  securityLog: SecurityLog
}

export function checkoutRoutes(deps: Dependencies): Handlers<typeof contract> {
  const { checkout, beginSession, checkoutCookie, securityLog } = deps

  return {
    createSubscriptionIntent: async (wish, { actor, request, reply }) => {
      const { nonce, ...begun } = await checkout.begin(actor, checkoutCookie.read(request), wish)
      if (nonce) checkoutCookie.set(reply, nonce)
      return begun
    },
    agree: (agreed, { actor, request }) => checkout.agree(actor, checkoutCookie.read(request), agreed),
    guestPurchaseLogin: async ({ paymentIntentId }, { actor, request, reply }) => {
      const nonce = checkoutCookie.read(request)
      const authenticated = await checkout.loginOfGuest(nonce, paymentIntentId)
      if (authenticated === 'not yet') return authenticated
      await beginSession(authenticated, { actor, request, reply })
      securityLog('guest login', { ...actor, user: { id: authenticated.userId } })
      if (nonce) checkoutCookie.set(reply, await checkout.rotateNonce(nonce))
      return 'done'
    },
    confirm: ({ paymentIntentId }, { actor }) => checkout.confirm(actor, paymentIntentId),
  }
}

export const billingRoutes = (customers: Customers): Handlers<typeof billing> => ({
  details: (_input, { actor }) => customers.billingDetails(actor.user.id),
  save: (details, { actor }) => customers.saveBillingDetails(actor, details),
})
