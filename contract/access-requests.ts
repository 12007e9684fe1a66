import * as z from 'zod/mini'
import { endpoint, nothing } from './endpoint.ts'
import { optionalText, paymentIntentId, text } from './fields.ts'

/** The form after payment; its texts are the spec's. */
export const accessRequestForm = z.strictObject({
  exchangeName: text(100, 'Exchange name is required'),
  tradingViewUsername: text(100, 'TradingView username is required'),
  apiKey: text(500, 'API key is required'),
  secretKey: text(500, 'Secret key is required'),
  additionalInfo: optionalText(2000),
})

export const accessRequests = {
  submit: endpoint({
    method: 'POST',
    path: '/api/access-requests',
    access: 'user',
    summary: 'Ask for access on TradingView, promised within 24 hours',
    input: z.extend(accessRequestForm, { paymentIntentId }),
    output: nothing,
  }),
}
