import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

/** The browser's part. Its second half, the renderer of the pages, is built by `scripts/build-web.ts`. */
export default defineConfig({
  // React brings its own since version 18.
  resolve: { alias: { 'use-sync-external-store/shim/index.js': 'react' } },
  plugins: [react(), tailwindcss()],
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
      // What every page needs is one file, the entry, from which pages may import; what the public pages share is another.
      preserveEntrySignatures: 'allow-extension',
      output: {
        codeSplitting: {
          groups: [
            { name: 'main', tags: ['$initial'], priority: 1 },
            { name: 'showcase', test: /features.showcase|ui.(badge|money)|price-list/ },
          ],
        },
      },
    },
  },
})
