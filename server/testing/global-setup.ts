import { fileURLToPath } from 'node:url'
import { openTestPostgres } from './test-database.ts'

/** For both vitest and playwright: what it returns is called at the end. */
export default function setUp() {
  // Tests start the shop and its commands dozens of times, and half of a start is compiling: `boot.js` caches it here.
  process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('../../dist/compile-cache', import.meta.url))
  return openTestPostgres()
}
