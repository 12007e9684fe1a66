import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'
import { brandShades } from './contract/brand-colors.ts'

/** `brand-color(light)` in the styles is a shade of the color in `content/brand.json`. */
const brandColors: Plugin = {
  name: 'brand-colors',
  enforce: 'pre',
  transform: {
    filter: { id: /styles\.css$/ },
    handler: (code) =>
      code.replaceAll(/brand-color\((\w+)\)/g, (_, shade: string) => brandShades[shade as keyof typeof brandShades]),
  },
}

/** The browser's part of the shop. `scripts/build-web.ts` builds the page renderer with the same settings. */
export default defineConfig({
  plugins: [brandColors, react(), tailwindcss()],
  publicDir: 'content/pictures',
  build: {
    outDir: 'dist/web',
    manifest: true,
    // The first versions that know `light-dark()`.
    target: ['chrome123', 'firefox128', 'safari17.5'],
    // The content security policy forbids `data:` fonts and scripts.
    assetsInlineLimit: 0,
    rolldownOptions: {
      input: 'web/main.tsx',
      output: {
        // Modules of three or more pages are one file, so that a page needs few requests.
        codeSplitting: { groups: [{ name: 'shared', minShareCount: 3 }] },
      },
    },
  },
})
