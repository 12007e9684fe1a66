import type { Appearance, CustomFontSource } from '@stripe/stripe-js'
import hostGrotesk from '#web/fonts/host-grotesk-basic.woff2?url'
import { themeColors } from '#web/ui/theme-colors.ts'

/** Stripe's card fields are in an iframe, which must load the font itself. */
export const fonts = (): CustomFontSource[] => [
  { family: 'Host Grotesk', src: `url(${new URL(hostGrotesk, location.origin).href})`, weight: '300 800' },
]

export function appearanceFor(theme: 'light' | 'dark'): Appearance {
  const { accent, surface, ink, muted, danger, field } = themeColors()
  return {
    theme: theme === 'dark' ? 'night' : 'stripe',
    variables: {
      colorPrimary: accent,
      colorBackground: surface,
      colorText: ink,
      colorTextSecondary: muted,
      colorTextPlaceholder: muted,
      colorDanger: danger,
      borderRadius: '10px',
      fontFamily: '"Host Grotesk", ui-sans-serif, system-ui, sans-serif',
      fontSizeBase: '16px',
    },
    rules: { '.Input': { borderColor: field } },
  }
}
