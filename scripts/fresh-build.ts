import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { loadEnvFile } from '#server/config/env-file.ts'
import { linkPostgresLibraries } from '#server/database/embedded-place.ts'
import { paths } from '#server/paths.ts'
import { checkBuild } from '#server/process/build.ts'

/** Also the setup of tests that run the build. */
export default function freshBuild() {
  // `npm ci` removes these links, while the build stays fresh.
  linkPostgresLibraries()
  if (checkBuild() === 'fresh') return
  console.log('Building the shop, because the build is missing or out of date...')
  const started = performance.now()
  // In a process of its own, because the build sets NODE_ENV.
  const { status } = spawnSync(process.execPath, [join(paths.root, 'scripts/build.ts')], { stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
  console.log(`Built in ${((performance.now() - started) / 1000).toFixed(1)} s.`)
}

/** `npm start` runs this first. In production the shop never builds itself: a stale build is refused at start. */
if (import.meta.main) {
  loadEnvFile()
  if (process.env.NODE_ENV !== 'production') freshBuild()
}
