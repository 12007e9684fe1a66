import type { Appearance, Font, Reply } from './card-frame.ts'
import { PaymentElement } from './payment-element.ts'

type Fields = Record<string, string>
type Intent = { id: string; object: 'payment_intent' | 'setup_intent'; status: string; client_secret: string }
type ElementsOptions = {
  clientSecret?: string
  mode?: string
  amount?: number
  appearance?: Appearance
  fonts?: Font[]
  [key: string]: unknown
}
type Confirmation = {
  elements: Elements
  /** Needed if the elements were created with a mode and an amount, before the intent existed. */
  clientSecret?: string
  confirmParams?: { return_url?: string; payment_method_data?: { billing_details?: object } }
  redirect?: 'always' | 'if_required'
}

const connectionError = {
  type: 'api_connection_error',
  message: 'We could not reach the payment service. Please check your connection and try again.',
}

const notOfferedError = {
  type: 'invalid_request_error',
  message: 'The sandbox takes cards only through its Payment Element.',
}

const amountMismatchError = {
  type: 'invalid_request_error',
  message: 'The amount of the elements does not match the amount of the intent.',
}

function toFields(name: string, value: unknown): Fields {
  if (value === undefined || value === null) return {}
  if (typeof value !== 'object') return { [name]: `${value as string | number | boolean}` }
  return Object.assign({}, ...Object.entries(value).map(([key, inner]) => toFields(`${name}[${key}]`, inner)))
}

async function call(path: string, init?: RequestInit): Promise<Reply> {
  try {
    const response = await fetch(`/_sandbox/v1/${path}`, init)
    return await response.json()
  } catch {
    return { error: connectionError }
  }
}
const read = (path: string, fields: Fields) => call(`${path}?${new URLSearchParams(fields)}`)

class Elements {
  options: ElementsOptions
  element: PaymentElement | undefined
  isSubmitted = false

  constructor(options: ElementsOptions) {
    this.options = options
  }

  create(type: string) {
    if (type !== 'payment') throw new Error(`The sandbox offers the Payment Element, not "${type}".`)
    this.element = new PaymentElement(this.options.appearance ?? {}, this.options.fonts ?? [])
    return this.element
  }

  getElement = (type: unknown) => (type === 'payment' ? (this.element ?? null) : null)

  update(options: ElementsOptions) {
    this.options = { ...this.options, ...options }
    if (options.appearance) this.element?.applyAppearance(options.appearance)
  }

  fetchUpdates = async () => ({})

  get fields() {
    if (!this.element?.fields) throw new Error('Create and mount the Payment Element first.')
    return this.element.fields
  }

  send(path: string, fields: Fields): Promise<Reply> {
    return this.fields.send(path, fields).catch(() => ({ error: connectionError }))
  }

  async submit() {
    const error = this.fields.validate()
    this.isSubmitted = !error
    return error ? { error } : { selectedPaymentMethod: 'card' }
  }
}

const resultKeys = { payment_intent: 'paymentIntent', setup_intent: 'setupIntent' } as const

const pathOf = (secret: string) => {
  const id = secret.split('_secret_')[0] ?? ''
  return `${id.startsWith('seti_') ? 'setup_intents' : 'payment_intents'}/${id}`
}

const toResult = (reply: Reply) =>
  reply.error ? { error: reply.error } : { [resultKeys[reply['object'] as Intent['object']]]: reply }

/** Never resolves, because the page is left. */
function redirect(returnUrl: string | undefined, intent: Intent): Promise<never> {
  if (!returnUrl) throw new Error('confirmParams.return_url is missing.')
  const url = new URL(returnUrl)
  url.searchParams.set(intent.object, intent.id)
  url.searchParams.set(`${intent.object}_client_secret`, intent.client_secret)
  url.searchParams.set('redirect_status', intent.status === 'succeeded' ? 'succeeded' : 'failed')
  location.assign(url)
  return new Promise(() => {})
}

function createStripe(key: string) {
  const retrieve = async (secret: string) => toResult(await read(pathOf(secret), { key, client_secret: secret }))

  async function authenticateIfRequired(reply: Reply, secret: string): Promise<Reply> {
    if (reply.error || reply['status'] !== 'requires_action') return reply
    const outcome = await askBuyer()
    const body = new URLSearchParams({ key, client_secret: secret, outcome })
    return call(`${pathOf(secret)}/authenticate`, { method: 'POST', body })
  }

  async function confirm(confirmation: Confirmation) {
    const { elements, confirmParams = {} } = confirmation
    const { mode, amount } = elements.options
    const secret = mode ? confirmation.clientSecret : elements.options.clientSecret
    if (!secret) throw new Error('Elements need a clientSecret.')
    if (mode && !elements.isSubmitted)
      throw new Error('elements.submit() must be called before stripe.confirmPayment().')
    elements.isSubmitted = false
    if (mode) {
      const intent = await read(pathOf(secret), { key, client_secret: secret })
      if (!intent.error && intent['amount'] !== amount) return { error: amountMismatchError }
    }
    const fields = {
      key,
      client_secret: secret,
      ...toFields('return_url', confirmParams.return_url),
      ...toFields('payment_method_data', confirmParams.payment_method_data),
    }
    const submitted = await elements.submit()
    if ('error' in submitted) return { error: submitted.error }
    const confirmed = await elements.send(`${pathOf(secret)}/confirm`, fields)
    const reply = await authenticateIfRequired(confirmed, secret)
    if (reply.error || confirmation.redirect === 'if_required') return toResult(reply)
    return redirect(confirmParams.return_url, reply as unknown as Intent)
  }

  return {
    elements: (options: ElementsOptions = {}) => new Elements(options),
    confirmPayment: confirm,
    confirmSetup: confirm,
    retrievePaymentIntent: retrieve,
    handleNextAction: async ({ clientSecret }: { clientSecret: string }) => {
      const reply = await read(pathOf(clientSecret), { key, client_secret: clientSecret })
      return toResult(await authenticateIfRequired(reply, clientSecret))
    },
    // React's `<Elements>` checks that these exist; the shop does not call them.
    confirmCardPayment: async () => ({ error: notOfferedError }),
    createPaymentMethod: async () => ({ error: notOfferedError }),
    createToken: async () => ({ error: notOfferedError }),
    registerAppInfo() {},
    _registerWrapper() {},
  }
}

function createElement<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Record<string, string>,
  ...content: (Node | string)[]
) {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value)
  element.append(...content)
  return element
}

/** Closing the dialog counts as a failed authentication. */
function askBuyer(): Promise<'complete' | 'fail'> {
  const form = createElement(
    'form',
    { method: 'dialog' },
    createElement('p', {}, 'Test mode: this is where your bank would ask you to approve the payment.'),
    createElement('button', { value: 'complete' }, 'Complete authentication'),
    ' ',
    createElement('button', { value: 'fail' }, 'Fail authentication'),
  )
  const dialog = createElement('dialog', { 'aria-label': 'Authenticate your payment' }, form)
  const host = createElement('div', {})
  // The shadow root keeps the shop's style sheet out.
  host.attachShadow({ mode: 'open' }).append(dialog)
  document.body.append(host)
  dialog.showModal()
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => {
      host.remove()
      resolve(dialog.returnValue === 'complete' ? 'complete' : 'fail')
    })
  })
}

/** `version` must be the release name that `@stripe/stripe-js` expects. */
Object.assign(window, { Stripe: Object.assign(createStripe, { version: 'endive' }) })
