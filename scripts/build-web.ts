import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'
import { hashOfSources, stampOfBuild } from '#server/pages/build.ts'
import { compress } from '#server/pages/compressed.ts'
import { buildLibraries } from './build-libraries.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const client = join(root, 'dist/web')
const renderer = join(root, 'dist/render')
/** Vite would read `.env`, which is the shop's and none of its business. */
const settings = { root, envDir: false, logLevel: 'warn' } as const

/** `dist/web`: what browsers fetch, precompressed. `dist/render`: what the server calls to render the pages. `dist/libraries`: `build-libraries.ts`. */
async function buildWeb() {
  // Before it is built: what changes meanwhile is not in it.
  const sources = hashOfSources()
  // A half-finished build must look stale: the stamp goes first and comes last.
  await rm(renderer, { recursive: true, force: true })
  console.log('  1 of 4  what browsers load')
  await build(settings)
  console.log('  2 of 4  what the server loads')
  await buildLibraries(root)
  console.log('  3 of 4  what the server renders pages with')
  await build({
    ...settings,
    publicDir: false,
    define: { 'process.env.NODE_ENV': JSON.stringify('production') },
    ssr: { noExternal: true },
    build: {
      ssr: true,
      manifest: false,
      outDir: renderer,
      rolldownOptions: { input: { render: join(root, 'web/prerender.tsx') } },
    },
  })
  await rename(join(client, '.vite/manifest.json'), join(renderer, 'manifest.json'))
  await rm(join(client, '.vite'), { recursive: true })
  console.log('  4 of 4  compressing')
  const files = await readdir(client, { recursive: true, withFileTypes: true })
  await Promise.all(
    files
      .filter((file) => file.isFile() && /\.(js|css|svg|json|txt|webmanifest)$/.test(file.name))
      .map((file) => join(file.parentPath, file.name))
      .map(async (path) => compress(path, await readFile(path))),
  )
  await writeFile(stampOfBuild, sources)
}

// Vite keeps a NODE_ENV that is set already, and any other build does not run.
process.env.NODE_ENV = 'production'
await buildWeb()
