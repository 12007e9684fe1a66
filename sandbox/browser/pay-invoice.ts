/** Pays an open invoice from its hosted page, with the same card fields as the shop's. */

type Stripe = {
  elements(options: object): {
    create(type: 'payment'): { mount(place: Element): void; on(type: string, handler: () => void): void }
  }
  confirmPayment(options: object): Promise<{ error?: { message: string } }>
}
const form = document.querySelector('form')
const place = form?.querySelector('div')
const alert = form?.querySelector('[role=alert]')
const button = form?.querySelector('button')

if (form && place && alert && button) {
  const { key, secret: clientSecret } = form.dataset
  const stripe = (Reflect.get(window, 'Stripe') as (key: string | undefined) => Stripe)(key)
  const theme = matchMedia('(prefers-color-scheme: dark)').matches ? 'night' : 'stripe'
  const elements = stripe.elements({ clientSecret, appearance: { theme } })
  const card = elements.create('payment')
  card.on('ready', () => button.removeAttribute('disabled'))
  card.mount(place)
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    button.setAttribute('disabled', '')
    void stripe.confirmPayment({ elements, confirmParams: { return_url: location.href } }).then(({ error }) => {
      button.removeAttribute('disabled')
      alert.textContent = error?.message ?? ''
    })
  })
}
