import { globSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'

export const rooms = ['contract', 'server', 'sandbox', 'web', 'e2e', 'scripts', 'proofs']

/** Every TypeScript source in the repository by its path, such as `server/app.ts`. */
export function readSources(root: string): Map<string, string> {
  const paths = globSync(`{${rooms.join()}}/**/*.{ts,tsx}`, { cwd: root }).toSorted()
  return new Map(paths.map((path) => [path.replaceAll(sep, '/'), readFileSync(join(root, path), 'utf8')]))
}
