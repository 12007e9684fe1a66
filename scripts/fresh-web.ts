import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { judgeBuild } from '#server/pages/build.ts'

/** Builds the web part if it is missing or out of date. Also the setup for tests that open pages. */
export default async function freshWeb() {
  if (judgeBuild() === 'fresh') return
  const isProduction = process.env.NODE_ENV === 'production'
  // In production, every line is JSON.
  const { createLog } = await import('#server/process/log.ts')
  const log = createLog('info')
  const say = isProduction ? (line: string) => log.info(line) : console.log
  say('Building the web part, because it is missing or out of date...')
  const started = performance.now()
  // In its own process, because the build sets NODE_ENV, and so that its memory is released.
  const builder = fileURLToPath(new URL('./build-web.ts', import.meta.url))
  const { status, stderr } = spawnSync(process.execPath, [builder], {
    stdio: isProduction ? 'pipe' : 'inherit',
    encoding: 'utf8',
  })
  if (status !== 0) {
    if (stderr) log.fatal(stderr)
    process.exit(status ?? 1)
  }
  say(`Built in ${((performance.now() - started) / 1000).toFixed(1)} s.`)
}
