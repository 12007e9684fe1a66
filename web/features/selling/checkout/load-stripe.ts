import type { Stripe } from '@stripe/stripe-js'
import { loadStripe } from '@stripe/stripe-js/pure/index.js'
import type { SiteSettings } from '#contract/site/site-settings.ts'

let stripePromise: Promise<Stripe> | undefined

export function loadStripeOnce({ scriptUrl, publishableKey }: SiteSettings['stripe']): Promise<Stripe> {
  stripePromise ??= addScript(scriptUrl)
    .then(() => loadStripe(publishableKey))
    .then((stripe) => stripe ?? Promise.reject(new Error('Stripe failed to load')))
    .catch((error: unknown) => {
      // Lets the next attempt load the script again.
      stripePromise = undefined
      throw error
    })
  return stripePromise
}

declare global {
  interface Window {
    trustedTypes?: {
      createPolicy(
        name: string,
        rules: { createScriptURL(address: string): string },
      ): { createScriptURL(address: string): string }
    }
  }
}

/** The CSP requires Trusted Types for script URLs. The URL comes from the settings, never from a visitor. */
let scriptPolicy: ReturnType<NonNullable<Window['trustedTypes']>['createPolicy']> | undefined

function addScript(src: string): Promise<void> {
  const script = document.createElement('script')
  scriptPolicy ??= window.trustedTypes?.createPolicy('shop', { createScriptURL: (address) => address })
  script.src = scriptPolicy ? scriptPolicy.createScriptURL(src) : src
  return new Promise((resolve, reject) => {
    script.addEventListener('load', () => resolve())
    script.addEventListener('error', () => {
      script.remove()
      reject(new Error('We couldn’t load the payment form. Please check your connection and try again.'))
    })
    document.head.append(script)
  })
}
