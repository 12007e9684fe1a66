import { fileURLToPath } from 'node:url'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

/** An icon is its drawing; `web/ui/icon.tsx` makes it one of ours. */
const icons: Plugin = {
  name: 'icons',
  enforce: 'pre',
  resolveId: {
    filter: { id: /createLucideIcon/ },
    handler: () => fileURLToPath(new URL('web/ui/icon.tsx', import.meta.url)),
  },
}

/** Browsers compile the functions of a file that begins so while it arrives, off the main thread, not one by one when called. */
const compiledOnArrival: Plugin = {
  name: 'compiled-on-arrival',
  generateBundle: {
    // Vite puts a list of files before everything else, and this must stand before that.
    order: 'post',
    handler(_options, files) {
      for (const file of Object.values(files))
        if (file.type === 'chunk' && file.name === 'main') file.code = `//# allFunctionsCalledOnLoad\n${file.code}`
    },
  },
}

/** The browser's part. Its second half, the renderer of the pages, is built by `scripts/build-web.ts`. */
export default defineConfig({
  plugins: [icons, compiledOnArrival, react(), tailwindcss()],
  publicDir: 'web/public',
  // As CommonJS it would need helpers of the bundler's, see `zod` below.
  resolve: { alias: { '@stripe/stripe-js/pure/index.js': '@stripe/stripe-js/pure/index.mjs' } },
  build: {
    outDir: 'dist/web',
    manifest: true,
    target: 'es2022',
    // Those that know `light-dark()`.
    cssTarget: ['chrome123', 'firefox128', 'safari17.5'],
    // The file itself is asked for right after what it needs.
    modulePreload: { polyfill: false, resolveDependencies: (file, needed) => needed.filter((one) => one !== file) },
    // Everything is same-origin and precompressed: data: addresses would only break the CSP.
    assetsInlineLimit: 0,
    rolldownOptions: {
      input: 'web/main.tsx',
      treeshake: { propertyReadSideEffects: false },
      // Few files instead of dozens of crumbs: the entry has what every page needs, and pages may import from it.
      preserveEntrySignatures: 'allow-extension',
      output: {
        // Each page lists the files of the others: a shorter name is a shorter list, and digits compress better.
        hashCharacters: 'hex',
        chunkFileNames: ({ name }) => `assets/${name.replace(/-page$/, '')}-[hash:7].js`,
        codeSplitting: {
          groups: [
            { name: 'main', tags: ['$initial'], priority: 9 },
            // What almost every page has besides; the icons are most of it.
            {
              name: 'icons',
              test: /lucide-react|checkout.address|ui.time|access.promise|yearly-saving|selling.catalog|contract.(statuses|access.access\.|access.package)|open-indicator/,
              priority: 8,
              // One page's own icons stay with that page.
              minShareCount: 2,
            },
            // The drawings on the pages that sell.
            { name: 'showcase', test: /site.showcase|ui.section|about.maker|review-summary/, priority: 7 },
            // What pages of text share, those of Markdown and those of law: they need none of the kit's forms.
            { name: 'content', test: /ui.blocks|contract.markdown/, priority: 6, minShareCount: 2 },
            { name: 'legal', test: /legal.(text|legal-text)/, priority: 6, minShareCount: 2 },
            // What everyone has who is logged in, also on pages that have none of the kit.
            { name: 'private', test: /layout.private|user-menu|ui.menu|use-log-out/, priority: 5 },
            // What pages with forms share; what only the desk's screens share is no part of it.
            {
              name: 'kit',
              test: /[\\/]contract[\\/](?!desk|.*(admin|catalog|product))|web.ui|useMutation|mutationObserver|[iI]nfiniteQuery|api.(use-call|checked|call-form)|sign-in.(refusal|auth-card|code-form)|until-done|payment-skeleton|username-input|use-owned|order-essentials/,
              priority: 4,
              minShareCount: 2,
            },
            { name: 'access-form', test: /access-form/, priority: 3 },
            { name: 'passkeys', test: /simplewebauthn|api.passkeys|sign-in.passkey-login/, priority: 3 },
            // The rules of forms, loaded once someone types in one. With a dialog that imports React: a file that uses the
            // bundler's helpers and nothing else of `main` has them put into a file, and a request, of their own.
            { name: 'zod', test: /[\\/]zod[\\/.]|api.step-up/, priority: 3 },
          ],
        },
      },
    },
  },
})
