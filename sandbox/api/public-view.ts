const visible: Record<string, string[]> = {
  payment_intent: [
    'amount',
    'canceled_at',
    'cancellation_reason',
    'capture_method',
    'client_secret',
    'confirmation_method',
    'created',
    'currency',
    'description',
    'last_payment_error',
    'livemode',
    'next_action',
    'payment_method',
    'payment_method_types',
    'receipt_email',
    'setup_future_usage',
    'shipping',
    'status',
  ],
  setup_intent: [
    'cancellation_reason',
    'client_secret',
    'created',
    'description',
    'last_setup_error',
    'livemode',
    'next_action',
    'payment_method',
    'payment_method_types',
    'status',
    'usage',
  ],
  payment_method: ['allow_redisplay', 'billing_details', 'card', 'created', 'livemode', 'type'],
}

/** What the publishable key may see of an answer: nothing about the customer or the shop's own notes. */
export function publicView(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(publicView)
  const kind = 'object' in value && typeof value.object === 'string' ? visible[value.object] : undefined
  const entries = Object.entries(value).filter(
    ([key]) => !kind || key === 'id' || key === 'object' || kind.includes(key),
  )
  return Object.fromEntries(entries.map(([key, inner]) => [key, publicView(inner)]))
}
