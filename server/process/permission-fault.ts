import { existsSync } from 'node:fs'
import { userInfo } from 'node:os'
import { dirname } from 'node:path'
import process from 'node:process'
import { paths } from '../paths.ts'

export function permissionFault(error: unknown): string | undefined {
  const { code = '', path, syscall = 'use' } = error as NodeJS.ErrnoException
  if (!path || !/^(EACCES|EPERM|EROFS)$/.test(code)) return undefined
  const user = userName()
  const sentence = `The user ${user} may not ${syscall} ${path} (${code}).`
  if (code === 'EROFS') return `${sentence} The file system is mounted read-only there.`
  // The software's own files belong to root and must be readable by everyone.
  if (path.startsWith(paths.root) && !path.startsWith(`${paths.root}/data`))
    return `${sentence} As root, run: chmod --recursive a+rX ${paths.root}`
  return `${sentence} As root, run: chown --recursive ${user}: ${existsSync(path) ? path : dirname(path)}`
}

export function userName(): string {
  try {
    return userInfo().username
  } catch {
    // A container's user may have no name.
    return String(process.getuid?.() ?? 'unknown')
  }
}
