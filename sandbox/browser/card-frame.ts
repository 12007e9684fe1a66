import { digitsOf, type FieldName, problemOf, readExpiry } from './card-input.ts'

export type Appearance = {
  theme?: string
  variables?: Record<string, string>
  rules?: Record<string, Record<string, string>>
}
export type Reply = { error?: { type: string; message: string; code?: string }; [key: string]: unknown }
export type Font = { family: string; src: string; weight?: string }

const names = ['number', 'expiry', 'cvc'] as const
const inputs = Object.fromEntries(names.map((name) => [name, element(`#${name}`, HTMLInputElement)])) as Record<
  FieldName,
  HTMLInputElement
>

function element<T extends Element>(selector: string, type: new () => T): T {
  const match = document.querySelector(selector)
  if (!(match instanceof type)) throw new Error(`${selector} is missing`)
  return match
}

function findProblem(name: FieldName) {
  const { number, expiry, cvc } = inputs
  return problemOf(name, { number: number.value, expiry: expiry.value, cvc: cvc.value }, new Date())
}

function showProblem(name: FieldName) {
  const problem = findProblem(name)
  inputs[name].classList.toggle('Input--invalid', problem !== undefined)
  inputs[name].setAttribute('aria-invalid', String(problem !== undefined))
  element(`#${name}-error`, HTMLElement).textContent = problem?.message ?? ''
  return problem && { ...problem, type: 'validation_error', name }
}

function validate() {
  const firstProblem = names.map(showProblem).find((problem) => problem !== undefined)
  if (firstProblem) inputs[firstProblem.name].focus()
  return firstProblem
}

/** Sends the card to the sandbox, so that the shop's page never sees it. */
async function send(path: string, fields: Record<string, string>) {
  const { month, year } = readExpiry(inputs.expiry.value)
  const body = new URLSearchParams({
    ...fields,
    'payment_method_data[type]': 'card',
    'payment_method_data[card][number]': digitsOf(inputs.number.value),
    'payment_method_data[card][exp_month]': String(month),
    'payment_method_data[card][exp_year]': String(year),
    'payment_method_data[card][cvc]': inputs.cvc.value,
  })
  const response = await fetch(`/_sandbox/v1/${path}`, { method: 'POST', body })
  return (await response.json()) as Reply
}

/** Applies the shop's appearance through CSSOM, so that its values are not parsed as markup. */
function applyAppearance({ theme, variables = {}, rules = {} }: Appearance) {
  const { style } = document.documentElement
  style.colorScheme = theme === 'night' ? 'dark' : 'light'
  for (const [name, value] of Object.entries(variables)) style.setProperty(`--${name}`, value)
  style.setProperty('--colorBorder', rules['.Input']?.['borderColor'] ?? '')
}

function loadFonts(fonts: Font[]) {
  for (const { family, src, ...descriptors } of fonts)
    document.fonts.add(new FontFace(family, src, { display: 'swap', ...descriptors }))
}

function watch(report: (type: string, detail?: object) => void, resize: (height: number) => void) {
  for (const name of names) {
    const input = inputs[name]
    input.addEventListener('input', () => {
      // An error disappears once the field is valid; a new one appears on submit.
      if (!findProblem(name)) showProblem(name)
      const value = { type: 'card', payment_method: undefined }
      const complete = names.every((field) => !findProblem(field))
      const empty = names.every((field) => inputs[field].value === '')
      report('change', { collapsed: false, complete, empty, value })
    })
    input.addEventListener('focus', () => report('focus'))
    input.addEventListener('blur', () => report('blur'))
  }
  new ResizeObserver(() => resize(document.documentElement.offsetHeight)).observe(document.body)
}

element('form', HTMLFormElement).addEventListener('submit', (event) => event.preventDefault())

/** Called by `stripe.js` from the shop's page. */
const cardFields = { applyAppearance, loadFonts, send, validate, watch }
export type CardFields = typeof cardFields
Object.assign(window, { cardFields })
