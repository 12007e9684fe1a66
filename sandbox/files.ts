import { readFileSync } from 'node:fs'
import { findPackageJSON } from 'node:module'
import { dirname, join } from 'node:path'

const root = dirname(findPackageJSON(import.meta.url) ?? '')

/** Reads a file of the `sandbox` folder, which the bundle in `dist/server` leaves where it is. */
export const readSandboxFile = (name: string) => readFileSync(join(root, 'sandbox', name), 'utf8')

/** Reads a browser script that `scripts/build.ts` has built. */
export const readBuiltScript = (name: string) => readFileSync(join(root, 'dist/sandbox', name), 'utf8')
