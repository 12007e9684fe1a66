type Stripe = {
  elements(options: object): {
    create(type: 'payment'): { mount(container: Element): void; on(type: string, handler: () => void): void }
  }
  confirmPayment(options: object): Promise<{ error?: { message: string } }>
}
const form = document.querySelector('form')
const container = form?.querySelector('div')
const alert = form?.querySelector('[role=alert]')
const button = form?.querySelector('button')

if (form && container && alert && button) {
  const { key, secret: clientSecret } = form.dataset
  const stripe = (Reflect.get(window, 'Stripe') as (key: string | undefined) => Stripe)(key)
  const theme = matchMedia('(prefers-color-scheme: dark)').matches ? 'night' : 'stripe'
  const elements = stripe.elements({ clientSecret, appearance: { theme } })
  const card = elements.create('payment')
  card.on('ready', () => button.removeAttribute('disabled'))
  card.mount(container)
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    button.setAttribute('disabled', '')
    void stripe.confirmPayment({ elements, confirmParams: { return_url: location.href } }).then(({ error }) => {
      button.removeAttribute('disabled')
      alert.textContent = error?.message ?? ''
    })
  })
}
