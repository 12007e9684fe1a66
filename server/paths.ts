import { findPackageJSON } from 'node:module'
import { dirname, join } from 'node:path'

/** The folder with package.json, whether the server runs from its sources or from `dist/server`. */
const root = dirname(findPackageJSON(import.meta.url) ?? '')
const isBundled = import.meta.filename.endsWith('.js')

export const paths = {
  root,
  /** The build: browser files in `web`, the page renderer in `render`, the server in `server`, the sandbox's scripts in `sandbox`. */
  dist: join(root, 'dist'),
  migrations: join(root, 'server/database/migrations'),
  commonPasswords: join(root, 'server/security/common-passwords.txt'),
  products: join(root, 'content/products'),
  renderProgram: join(root, isBundled ? 'dist/server/render.js' : 'server/pages/render.ts'),
}
