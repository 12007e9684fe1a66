import type { Appearance, CustomFontSource } from '@stripe/stripe-js'
import hostGrotesk from '#web/fonts/host-grotesk-basic.woff2?url'

/** Stripe's fields live in a frame of their own, which has to load the font itself. */
export const fonts = (): CustomFontSource[] => [
  { family: 'Host Grotesk', src: `url(${new URL(hostGrotesk, location.origin).href})`, weight: '300 800' },
]

/** Styles Stripe's fields like the shop, using the current theme's colors. */
export function appearanceFor(theme: 'light' | 'dark'): Appearance {
  const style = getComputedStyle(document.documentElement)
  const color = (name: string) => toRgb(style.getPropertyValue(`--${name}`))
  return {
    theme: theme === 'dark' ? 'night' : 'stripe',
    variables: {
      colorPrimary: color('accent'),
      colorBackground: color('surface'),
      colorText: color('ink'),
      colorTextSecondary: color('muted'),
      colorTextPlaceholder: color('muted'),
      colorDanger: color('danger'),
      borderRadius: '10px',
      fontFamily: '"Host Grotesk", ui-sans-serif, system-ui, sans-serif',
      fontSizeBase: '16px',
    },
    rules: { '.Input': { borderColor: color('field') } },
  }
}

/** Stripe doesn't understand oklch: draw one pixel in that color and read back its RGB. */
function toRgb(color: string): string {
  const canvas = document.createElement('canvas')
  canvas.width = 1
  canvas.height = 1
  const context = canvas.getContext('2d')
  if (!context) return color
  context.fillStyle = color
  context.fillRect(0, 0, 1, 1)
  const [red = 0, green = 0, blue = 0] = context.getImageData(0, 0, 1, 1).data
  return `rgb(${red}, ${green}, ${blue})`
}
