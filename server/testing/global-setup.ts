import { join } from 'node:path'
import { linkPostgresLibraries } from '../database/embedded-place.ts'
import { paths } from '../paths.ts'
import { openTestPostgres } from './test-database.ts'

/** vitest and playwright call the returned function at the end. */
export default function setUp() {
  // Tests start the shop and its commands dozens of times, and half of a start is compiling.
  process.env.NODE_COMPILE_CACHE ??= join(paths.dist, 'compile-cache')
  linkPostgresLibraries()
  return openTestPostgres()
}
