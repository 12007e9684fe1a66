import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

/** The contract's summaries are for the documentation of the API; browsers never read them. */
const withoutSummaries: Plugin = {
  name: 'without-summaries',
  enforce: 'pre',
  transform: {
    filter: { id: /\/contract\/[\w/-]+\.ts$/ },
    handler: (code) => code.replaceAll(/^ +summary:\s+'[^'\n]*',$/gm, ''),
  },
}

/** The browser's part. Its second half, the renderer of the pages, is built by `scripts/build-web.ts`. */
export default defineConfig({
  plugins: [withoutSummaries, react(), tailwindcss()],
  publicDir: 'web/public',
  build: {
    outDir: 'dist/web',
    manifest: true,
    target: 'es2022',
    modulePreload: { polyfill: false },
    // Everything is same-origin and precompressed: data: addresses would only break the CSP.
    assetsInlineLimit: 0,
    rolldownOptions: {
      input: 'web/main.tsx',
      // Few files instead of dozens of crumbs: the entry has what every page needs, and pages may import from it.
      preserveEntrySignatures: 'allow-extension',
      output: {
        // Each page lists the files of the others: a shorter name is a shorter list.
        chunkFileNames: ({ name }) => `assets/${name.replace(/-page$/, '')}-[hash:7].js`,
        codeSplitting: {
          groups: [
            { name: 'main', tags: ['$initial'], priority: 3 },
            // What the pages that sell share besides; the icons are most of it.
            {
              name: 'icons',
              test: /lucide-react|site.showcase|checkout.address|ui.(badge|section|page|icon|time)|contract.money|access.promise|yearly-saving|selling.catalog/,
              priority: 2,
              // One page's own icons stay with that page.
              minShareCount: 2,
            },
            // What pages of text share: they need none of the kit's forms.
            {
              name: 'text',
              test: /ui.blocks|contract.(brand|retention|markdown)|legal.(text|blocks)/,
              priority: 1,
              minShareCount: 2,
            },
            // What only the desk's screens share is no part of it, nor are the list of countries and declarations.
            {
              name: 'kit',
              test: /[\\/](contract(?![\\/]desk[\\/]|.*(tradingview-admin|billing|declaration|catalog|product))|zod|web[\\/]ui)[\\/]/,
              minShareCount: 3,
            },
          ],
        },
      },
    },
  },
})
