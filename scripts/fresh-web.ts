import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { isWebStale } from './build-web.ts'

/** Builds the web part when it is missing or older than its sources. Also the set-up of tests that open pages. */
export default async function freshWeb() {
  if (!(await isWebStale())) return
  console.log('Building the web part, because it is missing or older than its sources...')
  const started = performance.now()
  // A process of its own: the build sets NODE_ENV for itself, and its memory is given back.
  const builder = fileURLToPath(new URL('./build-web.ts', import.meta.url))
  const { status } = spawnSync(process.execPath, [builder], { stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
  console.log(`Built in ${((performance.now() - started) / 1000).toFixed(1)} s.`)
}
