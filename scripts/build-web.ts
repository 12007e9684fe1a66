import { readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { compress } from '#server/pages/compressed.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const client = join(root, 'dist/web')
const renderer = join(root, 'dist/render')
const sources = [
  'web',
  'contract',
  'content',
  'vite.config.ts',
  'package-lock.json',
  'scripts/build-web.ts',
  'scripts/build-libraries.ts',
]

/** True if the web part was never built, or if any of its sources is newer than the build. */
export async function isWebStale() {
  const built = await stat(join(renderer, 'render.js')).catch(() => null)
  if (!built) return true
  for (const source of sources) if ((await newest(join(root, source))) > built.mtimeMs) return true
  return false
}

/** `dist/web`: what browsers fetch, precompressed. `dist/render`: what the server calls to render the pages. `dist/libraries`: `build-libraries.ts`. */
async function buildWeb() {
  // Loaded only now, so a start with nothing to build does not wait for it.
  const { build } = await import('vite')
  const { buildLibraries } = await import('./build-libraries.ts')
  // A half-finished build must look stale, so the old renderer goes first and the new one comes last.
  await rm(renderer, { recursive: true, force: true })
  console.log('  1 of 4  what browsers load')
  await build({ root, logLevel: 'warn' })
  console.log('  2 of 4  what the server loads')
  await buildLibraries(root)
  console.log('  3 of 4  what the server renders pages with')
  await build({
    root,
    logLevel: 'warn',
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
}

async function newest(path: string): Promise<number> {
  const entry = await stat(path)
  if (!entry.isDirectory()) return entry.mtimeMs
  const inside = await Promise.all((await readdir(path)).map((name) => newest(join(path, name))))
  return Math.max(entry.mtimeMs, ...inside)
}

if (import.meta.main) await buildWeb()
