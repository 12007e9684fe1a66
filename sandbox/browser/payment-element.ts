export type Appearance = {
  theme?: string
  variables?: Record<string, string>
  rules?: Record<string, Record<string, string>>
}
/** A font that the page asks the frame to load. */
export type Font = { family: string; src: string; weight?: string }
type Handler = (event: object) => void

const pointer = { isDown: false, released: [] as (() => void)[] }
function press() {
  pointer.isDown = true
}
function release() {
  pointer.isDown = false
  for (const then of pointer.released.splice(0)) setTimeout(then)
}
addEventListener('pointerdown', press, true)
addEventListener('pointerup', release, true)
addEventListener('pointercancel', release, true)

/** The Payment Element: card fields in a frame of their own, reached through one message port. */
export class PaymentElement {
  readonly handlers = new Map<string, Set<Handler>>()
  readonly waiting = new Map<number, { resolve(result: unknown): void; reject(error: Error): void }>()
  appearance: Appearance
  fonts: Font[]
  frame: HTMLIFrameElement | undefined
  port: MessagePort | undefined
  asked = 0

  constructor(appearance: Appearance, fonts: Font[]) {
    this.appearance = appearance
    this.fonts = fonts
  }

  mount(place: HTMLElement) {
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
    this.dress(this.appearance)
    frame.addEventListener('load', () => this.connect(frame))
    frame.src = '/_sandbox/card-frame'
    place.classList.add('StripeElement')
    place.replaceChildren(frame)
    queueMicrotask(() => this.emit('loaderstart', { elementType: 'payment' }))
  }

  connect(frame: HTMLIFrameElement) {
    // The browser's own error page is not our document.
    if (!frame.contentDocument) {
      this.emit('loaderror', { elementType: 'payment', error: { type: 'api_connection_error' } })
      return
    }
    const channel = new MessageChannel()
    this.port = channel.port1
    channel.port1.addEventListener('message', ({ data }) => this.receive(data))
    channel.port1.start()
    frame.contentWindow?.postMessage({ appearance: this.appearance, fonts: this.fonts }, location.origin, [
      channel.port2,
    ])
  }

  receive(data: { id?: number; type?: string; result?: unknown; failed?: string; height?: number }) {
    if (data.id !== undefined) {
      const { resolve, reject } = this.waiting.get(data.id) ?? {}
      this.waiting.delete(data.id)
      if (data.failed === undefined) resolve?.(data.result)
      else reject?.(new Error(data.failed))
      return
    }
    const { type = '', height, ...detail } = data
    if (height !== undefined) this.resize(height)
    const value = { type: 'card', payment_method: undefined }
    const more = type === 'change' ? { collapsed: false, value } : {}
    if (type !== 'height') this.emit(type, { elementType: 'payment', ...detail, ...more })
  }

  /** Waits until the pointer is up: a button that the growing frame moves away while it is pressed would not be clicked. */
  resize(height: number) {
    const apply = () => {
      if (this.frame) this.frame.style.height = `${height}px`
    }
    if (pointer.isDown) pointer.released.push(apply)
    else apply()
  }

  ask(type: string, detail: object = {}): Promise<unknown> {
    const { port } = this
    if (!port) return Promise.reject(new Error('The Payment Element is not mounted.'))
    const id = ++this.asked
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject })
      port.postMessage({ id, type, ...detail })
    })
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

  /** A frame whose color scheme differs from its surroundings would be painted opaque. */
  dress(appearance: Appearance) {
    this.appearance = appearance
    if (this.frame) this.frame.style.colorScheme = appearance.theme === 'night' ? 'dark' : 'light'
    if (this.port) void this.ask('appearance', { appearance })
  }

  update() {}

  unmount() {
    this.port?.close()
    this.port = undefined
    this.frame?.remove()
    this.frame = undefined
  }

  destroy() {
    this.unmount()
    this.handlers.clear()
  }
}
