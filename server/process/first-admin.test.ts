import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tellFirstAdmin } from './first-admin.ts'

const credentials = { email: 'seller@example.com', password: 'made-for-the-first-admin' }

function outputOf(dataDir: string, { isTTY = false, production = false }) {
  let written = ''
  const log = { info: (...words: unknown[]) => void (written += JSON.stringify(words)) }
  const output = { isTTY, write: (text: string | Uint8Array) => (written += String(text)) !== '' }
  tellFirstAdmin(credentials, dataDir, output, production ? log : undefined)
  return written
}

test('the first admin’s password is shown in a terminal, and never in a service’s journal', () => {
  const folder = mkdtempSync(join(tmpdir(), 'shop-admin-'))
  expect(outputOf(folder, { isTTY: true })).toContain(credentials.password)
  expect(readdirSync(folder)).toEqual([])

  const inJournal = outputOf(folder, { isTTY: false })
  const file = join(folder, 'first-admin')
  expect(inJournal).not.toContain(credentials.password)
  expect(inJournal).toContain(file)
  expect(readFileSync(file, 'utf8')).toBe(`${credentials.email}  ${credentials.password}\n`)
  expect(statSync(file).mode & 0o777).toBe(0o600)

  const inProduction = outputOf(folder, { isTTY: true, production: true })
  expect(inProduction).not.toContain(credentials.password)
  expect(inProduction).toContain(file)
  rmSync(folder, { recursive: true })
})
