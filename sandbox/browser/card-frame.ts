import {
  digitsOf,
  type FieldName,
  formatCvc,
  formatExpiry,
  formatNumber,
  type Problem,
  problemOf,
  readExpiry,
  type Values,
} from './card-input.ts'
import type { Appearance, Font } from './payment-element.ts'

type Request = { id: number } & (
  | { type: 'appearance'; appearance: Appearance }
  | { type: 'validate' }
  | { type: 'send'; path: string; fields: Record<string, string> }
)

const names = ['number', 'expiry', 'cvc'] as const
const inputs = Object.fromEntries(
  names.map((name) => [name, element(`#${name}`, HTMLInputElement)]),
) as Record<FieldName, HTMLInputElement>

function element<T extends Element>(selector: string, type: new () => T): T {
  const found = document.querySelector(selector)
  if (!(found instanceof type)) throw new Error(`${selector} is missing`)
  return found
}

const values = (): Values => ({
  number: inputs.number.value,
  expiry: inputs.expiry.value,
  cvc: inputs.cvc.value,
})
const problem = (name: FieldName) => problemOf(name, values(), new Date())

function show(name: FieldName, found: Problem | undefined) {
  const input = inputs[name]
  input.classList.toggle('Input--invalid', found !== undefined)
  input.setAttribute('aria-invalid', String(found !== undefined))
  element(`#${name}-error`, HTMLElement).textContent = found?.message ?? ''
}

/** Formats while typing and keeps the caret behind the digit it was behind. */
function format(name: FieldName, deleting: boolean) {
  const input = inputs[name]
  const before = digitsOf(input.value.slice(0, input.selectionStart ?? input.value.length)).length
  const atEnd = input.selectionStart === input.value.length
  const formatted =
    name === 'number'
      ? formatNumber(input.value)
      : name === 'expiry'
        ? formatExpiry(input.value, deleting)
        : formatCvc(input.value, inputs.number.value)
  if (formatted === input.value) return
  input.value = formatted
  if (atEnd) return
  let caret = 0
  for (let digits = 0; caret < formatted.length && digits < before; caret++) {
    if (/\d/.test(formatted[caret] ?? '')) digits++
  }
  input.setSelectionRange(caret, caret)
}

function validate() {
  const problems = names.map((name) => ({ name, found: problem(name) }))
  for (const { name, found } of problems) show(name, found)
  const first = problems.find(({ found }) => found)
  if (first) inputs[first.name].focus()
  return first?.found && { type: 'validation_error', code: first.found.code, message: first.found.message }
}

async function send(request: Extract<Request, { type: 'send' }>): Promise<unknown> {
  const { month, year } = readExpiry(inputs.expiry.value)
  const body = new URLSearchParams({
    ...request.fields,
    'payment_method_data[type]': 'card',
    'payment_method_data[card][number]': digitsOf(inputs.number.value),
    'payment_method_data[card][exp_month]': String(month),
    'payment_method_data[card][exp_year]': String(year),
    'payment_method_data[card][cvc]': inputs.cvc.value,
  })
  const response = await fetch(`/_sandbox/v1/${request.path}`, { method: 'POST', body })
  return response.json()
}

function start(port: MessagePort) {
  const tell = (type: string, detail: object = {}) => port.postMessage({ type, ...detail })

  function changed() {
    const complete = names.every((name) => problem(name) === undefined)
    const empty = names.every((name) => inputs[name].value === '')
    tell('change', { complete, empty })
  }

  for (const name of names) {
    const input = inputs[name]
    input.addEventListener('input', (event) => {
      const deleting = event instanceof InputEvent && event.inputType.startsWith('delete')
      format(name, deleting)
      if (name === 'number') format('cvc', false)
      const found = problem(name)
      // While someone is typing, only a finished and wrong entry is a problem.
      show(name, found?.incomplete ? undefined : found)
      changed()
      const next = inputs[names[names.indexOf(name) + 1] ?? name]
      if (!deleting && !found && next.value === '' && input.selectionStart === input.value.length)
        next.focus()
    })
    input.addEventListener('focus', () => tell('focus'))
    input.addEventListener('blur', () => {
      tell('blur')
      if (input.value !== '') show(name, problem(name))
    })
    input.addEventListener('keydown', (event) => {
      const previous = inputs[names[names.indexOf(name) - 1] ?? name]
      if (event.key === 'Backspace' && input.value === '') previous.focus()
    })
  }
  element('form', HTMLFormElement).addEventListener('submit', (event) => event.preventDefault())

  async function resultOf(request: Request): Promise<unknown> {
    if (request.type === 'send') return send(request)
    return request.type === 'validate' ? validate() : dress(request.appearance)
  }
  async function answer(request: Request) {
    try {
      port.postMessage({ id: request.id, result: await resultOf(request) })
    } catch (error) {
      port.postMessage({ id: request.id, failed: error instanceof Error ? error.message : String(error) })
    }
  }
  port.addEventListener('message', (event: MessageEvent<Request>) => void answer(event.data))
  port.start()
  new ResizeObserver(() => tell('height', { height: document.body.offsetHeight })).observe(document.body)
  tell('ready', { height: document.body.offsetHeight })
}

const sheet = new CSSStyleSheet()

/** The shop's look, through the browser's own style objects: nothing is ever parsed as markup. */
function dress({ theme = 'stripe', variables = {}, rules = {} }: Appearance) {
  const root = document.documentElement
  root.dataset['theme'] = theme
  root.removeAttribute('style')
  for (const [name, value] of Object.entries(variables)) root.style.setProperty(`--${name}`, value)
  sheet.replaceSync('')
  for (const [selector, declarations] of Object.entries(rules)) {
    if (!/^\.[A-Za-z-]+(:{1,2}[a-z-]+)?$/.test(selector)) continue
    const rule = sheet.cssRules[sheet.insertRule(`${selector} {}`, sheet.cssRules.length)]
    if (!(rule instanceof CSSStyleRule)) continue
    for (const [property, value] of Object.entries(declarations)) {
      rule.style.setProperty(
        property.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
        value,
      )
    }
  }
  document.adoptedStyleSheets = [sheet]
}

/** The page that holds the frame greets it once and hands over its message port. */
function greet(event: MessageEvent) {
  const [port] = event.ports
  if (event.origin !== location.origin || event.source !== window.parent || !port) return
  window.removeEventListener('message', greet)
  dress(event.data.appearance ?? {})
  for (const { family, src, ...more } of (event.data.fonts ?? []) as Font[])
    document.fonts.add(new FontFace(family, src, { display: 'swap', ...more }))
  start(port)
}
window.addEventListener('message', greet)
