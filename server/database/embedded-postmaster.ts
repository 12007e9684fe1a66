import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { EmbeddedPaths } from './embedded-place.ts'

export type Postmaster = { port: number; isReady: boolean }

/** PostgreSQL that runs on this data, even while it starts or stops; undefined if none does. */
export function postmasterOf(place: EmbeddedPaths): Postmaster | undefined {
  const file = join(place.data, 'postmaster.pid')
  // PostgreSQL writes its pid into line 1, its port into line 4 and its status into line 8.
  const [pid = '', , , port, , , , status] = read(file).split('\n')
  if (!pid || !isAlive(Number(pid))) return undefined
  if (isAnotherProgram(Number(pid), place)) {
    // The pid was reused by another program; PostgreSQL would not start while this file exists.
    rmSync(file, { force: true })
    return undefined
  }
  return { port: Number(port), isReady: status?.trim() === 'ready' }
}

function read(file: string) {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

function isAlive(pid: number) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** False if the process cannot be identified. */
function isAnotherProgram(pid: number, { data }: EmbeddedPaths): boolean {
  const command = existsSync('/proc/self/cmdline') ? read(`/proc/${pid}/cmdline`) : commandByPs(pid)
  return command !== '' && !command.includes(data)
}

function commandByPs(pid: number): string {
  if (process.platform === 'win32') return ''
  return spawnSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).stdout ?? ''
}
