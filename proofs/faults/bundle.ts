import { spawnSync } from 'node:child_process'
import { basename, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const folder = fileURLToPath(new URL('../../dist/faults', import.meta.url))

/** Bundles what we start hundreds of times: resolving a thousand modules is half of each start. */
export function bundled(entry: string): string {
  // In its own process, because the build sets NODE_ENV.
  const { status } = spawnSync(process.execPath, [import.meta.filename, entry], { stdio: 'inherit' })
  if (status !== 0) throw new Error(`${entry} could not be bundled`)
  return join(folder, basename(entry).replace(/\.ts$/, '.js'))
}

async function bundle(entry: string) {
  const { build } = await import('vite')
  await build({
    configFile: false,
    logLevel: 'error',
    ssr: { noExternal: true, external: ['@node-rs/argon2'] },
    plugins: [
      {
        // Keep the files that a module expects beside it.
        name: 'where-it-was',
        transform: (code, id) => code.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href)),
      },
    ],
    build: {
      ssr: entry,
      outDir: folder,
      target: 'node24',
      rolldownOptions: { output: { codeSplitting: false } },
    },
  })
}

if (import.meta.main) await bundle(process.argv[2] ?? '')
