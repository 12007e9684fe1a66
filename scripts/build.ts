import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build, type InlineConfig, type Plugin } from 'vite'
import { linkPostgresLibraries } from '#server/database/embedded-place.ts'
import { StartError } from '#server/errors.ts'
import { previewFile, readProducts } from '#server/features/selling/catalog/catalog.ts'
import { compress } from '#server/pages/compressed.ts'
import { paths } from '#server/paths.ts'
import { buildStamp, hashOfSources } from '#server/process/build.ts'
import { checkContent } from './check-content.ts'
import { drawImages } from './draw-images.ts'

const { root, dist } = paths
const browserFolder = join(dist, 'web')
const rendererFolder = join(dist, 'render')
type Renderer = { pictures: Parameters<typeof drawImages>[1] }
/** `envDir: false`, because `.env` holds the shop's secrets. */
const sharedConfig = { root, envDir: false, logLevel: 'warn' } satisfies InlineConfig

/**
 * Leaves libraries out of the source maps. The Stripe SDK reads a stack trace for every request, so Node decodes the whole
 * map at the start, which takes 60 MB more with them. In a stack trace, the frames of libraries name a wrong file.
 */
const withoutLibraryMaps: Plugin = {
  name: 'without-library-maps',
  transform: { filter: { id: /node_modules/ }, handler: (code) => ({ code, map: { mappings: '' } }) },
}

/** Bundles all libraries except those that find their own files by path. */
const serverBuild: InlineConfig = {
  ...sharedConfig,
  configFile: false,
  publicDir: false,
  plugins: [withoutLibraryMaps],
  ssr: { noExternal: true, external: ['@node-rs/argon2', 'pg-cloudflare', 'pg-native', 'pino'] },
  build: {
    ssr: true,
    target: 'node24',
    sourcemap: true,
    outDir: join(dist, 'server'),
    rolldownOptions: {
      input: {
        main: join(root, 'server/main.ts'),
        render: join(root, 'server/pages/render.ts'),
        start: join(root, 'server/start.ts'),
      },
      output: {
        entryFileNames: '[name].js',
        chunkFileNames: '[name]-[hash].js',
        sourcemapExcludeSources: true,
        comments: false,
      },
    },
  },
}

const rendererBuild: InlineConfig = {
  ...sharedConfig,
  publicDir: false,
  define: { 'process.env.NODE_ENV': JSON.stringify('production') },
  ssr: { noExternal: true },
  build: {
    ssr: true,
    manifest: false,
    outDir: rendererFolder,
    rolldownOptions: { input: { render: join(root, 'web/prerender.tsx') } },
  },
}

type SandboxScript = { name: string; format: 'iife' | 'es' }

/** `stripe.js` is a classic script, like Stripe's, so it cannot import a chunk that it shares with another script. */
const sandboxScripts: SandboxScript[] = [
  { name: 'stripe', format: 'iife' },
  { name: 'card-frame', format: 'es' },
  { name: 'pay-invoice', format: 'es' },
]

const sandboxBuild = ({ name, format }: SandboxScript): InlineConfig => ({
  ...sharedConfig,
  configFile: false,
  publicDir: false,
  build: {
    outDir: join(dist, 'sandbox'),
    // Each script has a build of its own, and they share the folder.
    emptyOutDir: false,
    rolldownOptions: {
      input: join(root, `sandbox/browser/${name}.ts`),
      output: { format, entryFileNames: '[name].js' },
    },
  },
})

async function compressForBrowsers() {
  const entries = await readdir(browserFolder, { recursive: true, withFileTypes: true })
  const textFiles = entries.filter((entry) => entry.isFile() && /\.(js|css|svg|json|txt|webmanifest)$/.test(entry.name))
  const compressFile = async (path: string) => compress(path, await readFile(path), 11)
  await Promise.all(textFiles.map(({ parentPath, name }) => compressFile(join(parentPath, name))))
}

/** Reads the product files, so that an invalid one fails the build instead of the next restart. */
async function drawPictures() {
  const { pictures } = (await import(pathToFileURL(join(rendererFolder, 'render.js')).href)) as Renderer
  const products = readProducts().map(({ slug, name }) => ({ file: previewFile(slug, name), title: name }))
  await drawImages(browserFolder, { ...pictures, previews: [...pictures.previews, ...products] })
}

async function buildShop() {
  checkContent()
  linkPostgresLibraries()
  // Hashed before the build, so that an edit during the build makes it stale.
  const sources = hashOfSources()
  // Without its stamp, a half-finished build counts as missing.
  await rm(buildStamp, { force: true })
  console.log('  1 of 6  browser files')
  await build(sharedConfig)
  console.log('  2 of 6  page renderer')
  await build(rendererBuild)
  await rename(join(browserFolder, '.vite/manifest.json'), join(rendererFolder, 'manifest.json'))
  await rm(join(browserFolder, '.vite'), { recursive: true })
  console.log('  3 of 6  pictures')
  await drawPictures()
  console.log('  4 of 6  server')
  await build(serverBuild)
  console.log('  5 of 6  sandbox scripts')
  for (const script of sandboxScripts) await build(sandboxBuild(script))
  console.log('  6 of 6  compressing')
  await compressForBrowsers()
  await writeFile(buildStamp, sources)
}

// Vite keeps a NODE_ENV that is set already, and React's development build must not be served.
process.env.NODE_ENV = 'production'
try {
  await buildShop()
} catch (error) {
  console.error(error instanceof StartError ? error.message : error)
  process.exitCode = 1
}
