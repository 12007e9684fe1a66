import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Logger } from 'pino'
import type { Credentials } from '../features/identity/accounts/accounts.ts'

type Terminal = Pick<NodeJS.WriteStream, 'write' | 'isTTY'>

/** A service's output ends up in a journal, so there the password goes to a file. */
export function tellFirstAdmin(
  { email, password }: Credentials,
  dataDir: string,
  output: Terminal,
  /** Passed only in production, where every line of output must be JSON. */
  log?: Pick<Logger, 'info'>,
) {
  if (output.isTTY && !log) {
    output.write(`  First admin (shown only this once):  ${email}  ${password}\n\n`)
    return
  }
  const file = join(dataDir, 'first-admin')
  writeFileSync(file, `${email}  ${password}\n`, { mode: 0o600 })
  // An existing file would otherwise keep its mode.
  chmodSync(file, 0o600)
  if (log) log.info({ file }, 'The first admin was created. Read the file, then delete it.')
  else output.write(`  First admin:  ${email}, the password is in ${file}. Read it, then delete the file.\n\n`)
}
