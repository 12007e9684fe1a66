import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

/** The browser's part of the shop. `scripts/build.ts` builds the page renderer with the same settings. */
export default defineConfig({
  plugins: [react(), tailwindcss()],
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
