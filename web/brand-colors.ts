import plugin from 'tailwindcss/plugin'
import { brandShades } from '#contract/brand-colors.ts'

/** Tailwind plugin: the shades of the color in `content/brand.json` as `--brand-light`, `--brand-dark` and so on. */
export default plugin(({ addBase }) => {
  addBase({
    ':root': Object.fromEntries(Object.entries(brandShades).map(([shade, color]) => [`--brand-${shade}`, color])),
  })
})
