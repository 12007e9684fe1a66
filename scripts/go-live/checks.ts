import { once } from 'node:events'
import { connect } from 'node:tls'
import { type ChecklistKey, checklistLines } from '#contract/admin/checklist.ts'
import type { Config } from '#server/config.ts'
import type { Database } from '#server/database/connect.ts'
import { findDoneLines } from '#server/features/admin/checklist/checklist.ts'
import { createStripeSetup } from '#server/features/selling/stripe-setup/stripe-setup.ts'
import { createMailTransport } from '#server/gateways/mail.ts'
import { createStripeGateway } from '#server/gateways/stripe.ts'
import type { ShopSettings } from '#server/settings/settings.ts'

/** `fault` is null if the check passed. */
type Check = { title: string; fault: string | null }
type CheckDeps = { db: Database; config: Config; settings: ShopSettings }

export async function checkForSelling({ db, config, settings }: CheckDeps): Promise<Check[]> {
  const done = await findDoneLines({ db, config, settings })
  const checklistCheck = (key: ChecklistKey) => ({
    title: checklistLines[key].title,
    fault: done[key] ? null : checklistLines[key].todo,
  })
  const withAttempt = async (check: Check, attempt: () => Promise<unknown>): Promise<Check> =>
    check.fault === null ? { ...check, fault: await faultOf(attempt) } : check
  return [
    ...(await stripeChecks(config)),
    await withAttempt(checklistCheck('email'), () => createMailTransport({ ...config.mail, from: () => '' }).verify()),
    checklistCheck('imprint'),
    checklistCheck('support_address'),
    await withAttempt(checklistCheck('address'), () => connectWithTls(config.publicUrl)),
    checklistCheck('second_factor'),
    { title: `TradingView: ${done.tradingview ? 'as you chose' : 'by hand'}`, fault: null },
  ]
}

async function stripeChecks({ stripe: keys, publicUrl }: Config): Promise<Check[]> {
  const { check } = createStripeSetup({
    stripe: createStripeGateway({ secretKey: keys?.secretKey ?? '', webhookSecret: '' }),
    now: () => new Date(),
    log: console,
    secretKey: keys?.secretKey,
    publicUrl,
  })
  const findings = await check()
  return (['Key', 'Account', 'Webhook'] as const).map((about) => {
    const faults = findings.filter((finding) => finding.about === about && finding.state === 'todo')
    return { title: `Stripe: ${about.toLowerCase()}`, fault: faults.map(({ text }) => text).join(' ') || null }
  })
}

const faultOf = (attempt: () => Promise<unknown>) =>
  attempt().then(
    () => null,
    (error: Error) => error.message,
  )

/** Checks the certificate that visitors see. The proxy serves it, because the shop itself is stopped. */
async function connectWithTls(publicUrl: string) {
  const { hostname, port } = new URL(publicUrl)
  const socket = connect({ host: hostname, port: Number(port) || 443, servername: hostname })
  try {
    await once(socket, 'secureConnect', { signal: AbortSignal.timeout(10_000) })
  } finally {
    socket.destroy()
  }
}
