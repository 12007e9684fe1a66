import * as z from 'zod/mini'
import { endpoint } from '../endpoint.ts'

const finding = z.object({
  about: z.enum(['Account', 'Key', 'Prices', 'Webhook', 'Wallets', 'Emails', 'Settings']),
  /** `todo` prevents selling; `note` does not. */
  state: z.enum(['ok', 'todo', 'note']),
  text: z.string(),
})
export type Finding = z.infer<typeof finding>

export const stripeSetup = {
  adminCheck: endpoint('GET /api/admin/stripe', {
    access: 'settings.write',
    summary: 'Whether Stripe is set up the way the shop needs it',
    output: z.array(finding),
    limit: { requests: 30, seconds: 600 },
  }),
}
