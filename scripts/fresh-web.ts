import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { isWebStale } from './build-web.ts'

/** Builds the web part if it is missing or out of date. Also the setup for tests that open pages. */
export default async function freshWeb() {
  if (!(await isWebStale())) return
  console.log('Building the web part, because it is missing or out of date...')
  const started = performance.now()
  // In its own process, because the build sets NODE_ENV, and so that its memory is released.
  const builder = fileURLToPath(new URL('./build-web.ts', import.meta.url))
  const { status } = spawnSync(process.execPath, [builder], {
    stdio: 'inherit',
    // Vite keeps a NODE_ENV that is set already, and a build for tests does not run.
    env: { ...process.env, NODE_ENV: 'production' },
  })
  if (status !== 0) process.exit(status ?? 1)
  console.log(`Built in ${((performance.now() - started) / 1000).toFixed(1)} s.`)
}
