/** Pays an open invoice from its hosted page, with the same card fields as the shop's. */

type Result = { error?: { message: string } }
type Card = { mount(place: Element): void; on(type: string, handler: () => void): void }
type Stripe = {
  elements(options: object): { create(type: 'payment'): Card }
  confirmPayment(options: object): Promise<Result>
}
const form = document.querySelector<HTMLFormElement>('form[data-secret]')
const place = form?.querySelector('[data-card]')
const alert = form?.querySelector<HTMLElement>('[role=alert]')
const button = form?.querySelector('button')
const create = Reflect.get(window, 'Stripe') as ((key: string) => Stripe) | undefined
const stripe = create?.(form?.dataset['key'] ?? '')

if (form && place && alert && button && stripe) {
  const theme = matchMedia('(prefers-color-scheme: dark)').matches ? 'night' : 'stripe'
  const elements = stripe.elements({ clientSecret: form.dataset['secret'], appearance: { theme } })
  const card = elements.create('payment')
  card.on('ready', () => {
    button.disabled = false
  })
  card.mount(place)

  let busy = false
  async function pay(pressed: HTMLButtonElement, said: HTMLElement, by: Stripe) {
    if (busy) return
    busy = true
    // Not `disabled`: the button would lose focus.
    pressed.setAttribute('aria-disabled', 'true')
    said.hidden = true
    const { error } = await by.confirmPayment({ elements, confirmParams: { return_url: location.href } })
    busy = false
    pressed.removeAttribute('aria-disabled')
    said.textContent = error?.message ?? 'Something went wrong. Please try again.'
    said.hidden = false
  }
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    void pay(button, alert, stripe)
  })
}
