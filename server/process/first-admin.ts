import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Credentials } from '../features/accounts/accounts.ts'

type Terminal = Pick<NodeJS.WriteStream, 'write' | 'isTTY'>

/** Somebody at a terminal reads the password there; what a service prints is kept in a journal, so there it is a file. */
export function tellFirstAdmin({ email, password }: Credentials, dataDir: string, output: Terminal) {
  if (output.isTTY) {
    output.write(`  First admin (shown only this once):  ${email}  ${password}\n\n`)
    return
  }
  const file = join(dataDir, 'first-admin')
  writeFileSync(file, `${email}  ${password}\n`, { mode: 0o600 })
  // One that was there keeps its mode otherwise.
  chmodSync(file, 0o600)
  output.write(`  First admin:  ${email}, the password is in ${file}. Read it, then delete the file.\n\n`)
}
