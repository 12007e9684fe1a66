import type { Stripe } from '@stripe/stripe-js'
import { loadStripe } from '@stripe/stripe-js/pure/index.js'
import type { SiteSettings } from '#contract/site/site-settings.ts'

let loading: Promise<Stripe> | undefined

export function stripeOf({ scriptUrl, publishableKey }: SiteSettings['stripe']): Promise<Stripe> {
  loading ??= addScript(scriptUrl)
    .then(() => loadStripe(publishableKey))
    .then((stripe) => stripe ?? Promise.reject(new Error('Stripe failed to load')))
    .catch((error: unknown) => {
      // The next attempt starts fresh.
      loading = undefined
      throw error
    })
  return loading
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

/** The CSP requires Trusted Types for script URLs. This one comes from the settings, never from a visitor. */
let vouch: ReturnType<NonNullable<Window['trustedTypes']>['createPolicy']> | undefined

function addScript(src: string): Promise<void> {
  const script = document.createElement('script')
  vouch ??= window.trustedTypes?.createPolicy('shop', { createScriptURL: (address) => address })
  script.src = vouch ? vouch.createScriptURL(src) : src
  return new Promise((done, failed) => {
    script.addEventListener('load', () => done())
    script.addEventListener('error', () => {
      script.remove()
      failed(new Error('We couldn’t load the payment form. Please check your connection and try again.'))
    })
    document.head.append(script)
  })
}
