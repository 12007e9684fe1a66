import type { Appearance, CardFields, Font } from './card-frame.ts'

type Handler = (event: object) => void

export class PaymentElement {
  readonly handlers = new Map<string, Set<Handler>>()
  appearance: Appearance
  fonts: Font[]
  frame: HTMLIFrameElement | undefined
  fields: CardFields | undefined

  constructor(appearance: Appearance, fonts: Font[]) {
    this.appearance = appearance
    this.fonts = fonts
  }

  mount(container: HTMLElement) {
    this.unmount()
    const frame = document.createElement('iframe')
    frame.title = 'Secure payment input frame'
    frame.name = `__privateStripeFrame${crypto.randomUUID().slice(0, 8)}`
    frame.allow = 'payment *'
    const { style } = frame
    style.border = '0'
    style.display = 'block'
    style.width = 'calc(100% + 8px)'
    style.margin = '-4px'
    style.height = '206px'
    this.frame = frame
    this.applyAppearance(this.appearance)
    frame.addEventListener('load', () => this.connect(frame))
    frame.src = '/_sandbox/card-frame'
    container.classList.add('StripeElement')
    container.replaceChildren(frame)
    queueMicrotask(() => this.emit('loaderstart', { elementType: 'payment' }))
  }

  connect(frame: HTMLIFrameElement) {
    // `contentDocument` is null if the frame could not be loaded and shows the browser's error page.
    this.fields = frame.contentDocument ? Reflect.get(frame.contentWindow ?? {}, 'cardFields') : undefined
    if (!this.fields) return this.emit('loaderror', { elementType: 'payment', error: { type: 'api_connection_error' } })
    this.fields.applyAppearance(this.appearance)
    this.fields.loadFonts(this.fonts)
    this.fields.watch(
      (type, detail) => this.emit(type, { elementType: 'payment', ...detail }),
      (height) => (frame.style.height = `${height}px`),
    )
    this.emit('ready', { elementType: 'payment' })
  }

  emit(type: string, event: object) {
    for (const handler of this.handlers.get(type) ?? []) handler(event)
  }

  on(type: string, handler: Handler) {
    this.handlers.set(type, (this.handlers.get(type) ?? new Set()).add(handler))
    return this
  }

  off(type: string, handler?: Handler) {
    if (handler) this.handlers.get(type)?.delete(handler)
    else this.handlers.delete(type)
    return this
  }

  /** Sets the frame's color scheme too, because browsers give a frame with another scheme an opaque background. */
  applyAppearance(appearance: Appearance) {
    this.appearance = appearance
    if (this.frame) this.frame.style.colorScheme = appearance.theme === 'night' ? 'dark' : 'light'
    this.fields?.applyAppearance(appearance)
  }

  update() {}

  unmount() {
    this.fields = undefined
    this.frame?.remove()
    this.frame = undefined
  }

  destroy() {
    this.unmount()
    this.handlers.clear()
  }
}
