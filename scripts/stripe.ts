import * as z from 'zod/mini'
import { loadEnvFile } from '#server/config/env-file.ts'
import { settings } from '#server/config/environment.ts'
import { createStripeSetup } from '#server/features/selling/stripe-setup/stripe-setup.ts'
import { createStripeGateway, StripeRefusal } from '#server/gateways/stripe.ts'
import { exitWith } from './command.ts'
import { differences, outline, playScenes } from './verify/verify.ts'

const help = `npm run stripe -- check   shows what is set up at Stripe and what is missing
npm run stripe -- setup   creates what is missing; safe to run again
npm run stripe -- verify  plays the shop's scenes with a test key, and shows where Stripe differs from the stand-in

They need STRIPE_SECRET_KEY and, except for verify, PUBLIC_URL, in .env or in the environment.
docs/stripe.md lists the permissions a restricted key needs.
`

const [command] = process.argv.slice(2)
if (command !== 'check' && command !== 'setup' && command !== 'verify') exitWith(help)
for (const warning of loadEnvFile()) console.warn(warning)
if (command === 'verify') process.exit(await verify(process.env.STRIPE_SECRET_KEY))
const secretKey = readSetting('STRIPE_SECRET_KEY')
const publicUrl = readSetting('PUBLIC_URL')

const stripe = createStripeGateway({ secretKey, webhookSecret: '' })
const { check, setup } = createStripeSetup({
  stripe,
  now: () => new Date(),
  log: console,
  secretKey,
  publicUrl: publicUrl.replace(/\/+$/, ''),
})

const marks = { ok: '✓', todo: '✗', note: '·' }

try {
  if (command === 'setup') {
    const { done, webhookSecret } = await setup()
    for (const created of done) console.log(`created: ${created}`)
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

/** Returns the process's exit code: 1 if something differs. */
async function verify(key: string | undefined): Promise<number> {
  if (!key) {
    console.log(outline)
    return 0
  }
  if (!key.startsWith('sk_test_')) {
    console.error('Scenes are played with a test key only: STRIPE_SECRET_KEY must begin with sk_test_')
    return 1
  }
  let differingScenes = 0
  await playScenes({ secretKey: key, pollIntervalMs: 1000 }, (outcome) => {
    const lines = 'facts' in outcome ? differences(outcome.scene, outcome.facts) : [`not played: ${outcome.refused}`]
    console.log(`${lines.length === 0 ? '✓' : '✗'} ${outcome.scene.title}`)
    for (const line of lines) console.log(`    ${line}`)
    if (lines.length > 0) differingScenes++
  })
  console.log(differingScenes === 0 ? 'Stripe does what the stand-in does.' : `${differingScenes} scenes differ.`)
  return differingScenes === 0 ? 0 : 1
}

function readSetting(name: 'STRIPE_SECRET_KEY' | 'PUBLIC_URL'): string {
  const { data, error } = z.safeParse(settings.shape[name], process.env[name] || undefined)
  if (error) exitWith(error.issues.map(({ message }) => `${name} ${message}`).join('\n'))
  return data ?? exitWith(`${name} is not set: put it in .env, or in the environment`)
}
