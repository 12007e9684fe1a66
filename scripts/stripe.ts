import { existsSync } from 'node:fs'
import { wantedPrices } from '#server/features/selling/checkout/checkout.ts'
import { eventTypes } from '#server/features/selling/purchases/purchases.ts'
import { createStripeSetup } from '#server/features/selling/stripe-setup/stripe-setup.ts'
import { createStripeGateway, StripeRefusal } from '#server/gateways/stripe.ts'

const help = `npm run stripe -- check   shows what is set up at Stripe and what is missing
npm run stripe -- setup   creates what is missing; safe to run again

Both need STRIPE_SECRET_KEY and PUBLIC_URL, in .env or in the environment.
docs/stripe.md lists the permissions a restricted key needs.
`

if (existsSync('.env')) process.loadEnvFile('.env')
const { STRIPE_SECRET_KEY: secretKey, PUBLIC_URL: publicUrl } = process.env
const [command] = process.argv.slice(2)
if ((command !== 'check' && command !== 'setup') || !secretKey || !publicUrl) {
  console.error(help)
  process.exit(1)
}

const stripe = createStripeGateway({ secretKey, webhookSecret: '' })
const { check, setup } = createStripeSetup({
  stripe,
  now: () => new Date(),
  log: console,
  secretKey,
  publicUrl: publicUrl.replace(/\/+$/, ''),
  events: eventTypes,
  prices: wantedPrices(),
})

const marks = { ok: '✓', todo: '✗', note: '·' }

try {
  if (command === 'setup') {
    const { done, webhookSecret } = await setup()
    for (const each of done) console.log(`created: ${each}`)
    if (done.length === 0) console.log('Nothing was missing.')
    if (webhookSecret)
      console.log(
        `\nPut this in .env now and restart the shop. Stripe won’t show it again:\nSTRIPE_WEBHOOK_SECRET=${webhookSecret}\n`,
      )
  }
  const findings = await check()
  for (const { state, about, text } of findings) console.log(`${marks[state]} ${about.padEnd(8)} ${text}`)
  if (findings.some(({ state }) => state === 'todo')) process.exitCode = 1
} catch (error) {
  if (!(error instanceof StripeRefusal)) throw error
  console.error(`Stripe: ${error.fault.message}`)
  process.exitCode = 1
}
