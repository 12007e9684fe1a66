import { type Appearance, type Font, PaymentElement } from './payment-element.ts'

type Fields = Record<string, string>
type StripeError = { type: string; message: string; code?: string }
type Intent = { id: string; object: 'payment_intent' | 'setup_intent'; status: string; client_secret: string }
type Reply = { error?: StripeError; [key: string]: unknown }
type ElementsOptions = {
  clientSecret?: string
  appearance?: Appearance
  fonts?: Font[]
  [key: string]: unknown
}
type Confirmation = {
  elements?: Elements
  clientSecret?: string
  confirmParams?: {
    return_url?: string
    payment_method?: string
    payment_method_data?: { billing_details?: object }
  }
  redirect?: 'always' | 'if_required'
}

const connectionError = {
  type: 'api_connection_error',
  message: 'We could not reach the payment service. Please check your connection and try again.',
}

/** Nested values as Stripe writes them in forms: `a[b]=c`. */
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
const post = (path: string, fields: Fields) =>
  call(path, { method: 'POST', body: new URLSearchParams(fields) })

class Elements {
  options: ElementsOptions
  element: PaymentElement | undefined

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
    if (options.appearance) this.element?.dress(options.appearance)
  }

  fetchUpdates = async () => ({})

  get mounted(): PaymentElement {
    if (!this.element) throw new Error('Create and mount the Payment Element first.')
    return this.element
  }

  /** Has the frame send the card to the sandbox: this page never sees it. */
  send(detail: { path: string; prefix: string; fields: Fields }): Promise<Reply> {
    const sent = this.mounted.ask('send', detail) as Promise<Reply>
    return sent.catch(() => ({ error: connectionError }))
  }

  async submit() {
    const error = await this.mounted.ask('validate')
    return error ? { error } : { selectedPaymentMethod: 'card' }
  }
}

const camel = { payment_intent: 'paymentIntent', setup_intent: 'setupIntent' } as const

const pathOf = (secret: string) => {
  const id = secret.split('_secret_')[0] ?? ''
  return `${id.startsWith('seti_') ? 'setup_intents' : 'payment_intents'}/${id}`
}

const wrap = (reply: Reply) =>
  reply.error
    ? { error: reply.error }
    : { [camel[reply['object'] as Intent['object']] ?? 'paymentMethod']: reply }

/** Continues to the shop's page, which reads the outcome from its address. */
function leave(returnUrl: string | undefined, intent: Intent): Promise<never> {
  if (!returnUrl) throw new Error('confirmParams.return_url is missing.')
  const url = new URL(returnUrl)
  url.searchParams.set(intent.object, intent.id)
  url.searchParams.set(`${intent.object}_client_secret`, intent.client_secret)
  url.searchParams.set('redirect_status', intent.status === 'succeeded' ? 'succeeded' : 'failed')
  location.assign(url)
  return new Promise(() => {})
}

function createStripe(key: string) {
  const retrieve = async (secret: string) => wrap(await read(pathOf(secret), { key, client_secret: secret }))

  /** Asks the buyer for 3-D Secure when the bank wants it. */
  async function finish(reply: Reply, secret: string, night: boolean): Promise<Reply> {
    if (reply.error || reply['status'] !== 'requires_action') return reply
    const { askBuyer } = await import('./three-d-secure.ts')
    const outcome = await askBuyer(night)
    return post(`${pathOf(secret)}/authenticate`, { key, client_secret: secret, outcome })
  }

  async function confirm(given: Confirmation) {
    const { elements, confirmParams = {} } = given
    const secret = given.clientSecret ?? elements?.options.clientSecret
    if (!secret) throw new Error('confirm needs a clientSecret.')
    const fields = {
      key,
      client_secret: secret,
      ...toFields('return_url', confirmParams.return_url),
      ...toFields('payment_method', confirmParams.payment_method),
      ...toFields('payment_method_data', confirmParams.payment_method_data),
    }
    let reply: Reply
    if (elements) {
      const checked = await elements.submit()
      if ('error' in checked) return { error: checked.error }
      const detail = { path: `${pathOf(secret)}/confirm`, prefix: 'payment_method_data', fields }
      reply = await elements.send(detail)
    } else {
      reply = await post(`${pathOf(secret)}/confirm`, fields)
    }
    reply = await finish(reply, secret, elements?.options.appearance?.theme === 'night')
    if (reply.error || given.redirect === 'if_required') return wrap(reply)
    return leave(confirmParams.return_url, reply as unknown as Intent)
  }

  return {
    elements: (options: ElementsOptions = {}) => new Elements(options),
    confirmPayment: confirm,
    confirmSetup: confirm,
    retrievePaymentIntent: retrieve,
    retrieveSetupIntent: retrieve,
    handleNextAction: async ({ clientSecret }: { clientSecret: string }) => {
      const reply = await read(pathOf(clientSecret), { key, client_secret: clientSecret })
      return wrap(await finish(reply, clientSecret, false))
    },
    confirmCardPayment: (clientSecret: string, data: { payment_method?: string } = {}) =>
      confirm({ clientSecret, confirmParams: data, redirect: 'if_required' }),
    async createPaymentMethod({ elements, params }: { elements?: Elements; params?: object }) {
      if (!elements) throw new Error('createPaymentMethod needs the elements.')
      const fields = Object.entries(params ?? {}).map(([name, value]) => toFields(name, value))
      const detail = { path: 'payment_methods', prefix: '', fields: Object.assign({ key }, ...fields) }
      return wrap(await elements.send(detail))
    },
    createToken: async () => ({
      error: {
        type: 'invalid_request_error',
        message: 'The sandbox has no tokens: use createPaymentMethod.',
      },
    }),
    registerAppInfo() {},
    _registerWrapper() {},
  }
}

/** The name of the release that @stripe/stripe-js expects to find. */
Object.assign(window, { Stripe: Object.assign(createStripe, { version: 'endive' }) })
