import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

/** The browser's part. Its second half, the renderer of the pages, is built by `scripts/build-web.ts`. */
export default defineConfig({
  plugins: [react(), tailwindcss()],
  publicDir: 'web/public',
  build: {
    outDir: 'dist/web',
    manifest: true,
    target: 'es2022',
    // Everything is same-origin and precompressed: data: addresses would only break the CSP.
    assetsInlineLimit: 0,
    rolldownOptions: {
      input: 'web/main.tsx',
      // Pages may import from the entry: so what every page needs stays one file.
      preserveEntrySignatures: 'allow-extension',
    },
  },
})
