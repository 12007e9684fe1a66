import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { paths } from '../paths.ts'

/** Four bytes of a hash of each password that everyone tries first, in order (`scripts/common-passwords.ts`). */
const filter = readFileSync(paths.commonPasswords)

export const hashOf = (password: string) => createHash('sha256').update(password).digest().readUInt32BE()

const rows = ['abcdefghijklmnopqrstuvwxyz', '01234567890123456789', 'qwertyuiop', 'asdfghjkl', 'zxcvbnm']
const elsewhere = ['qwertzuiop', 'yxcvbnm', 'azertyuiop', 'qsdfghjklm']
const sequences = [...rows, ...elsewhere].flatMap((row) => [row, row.split('').toReversed().join('')])
const isRepeated = /^(.{1,4})\1+$/s

export function isCommonPassword(password: string): boolean {
  const typed = password.toLowerCase()
  return isRepeated.test(typed) || sequences.some((sequence) => sequence.includes(typed)) || isListed(hashOf(typed))
}

function isListed(hash: number): boolean {
  let [low, high] = [0, filter.length / 4]
  while (low < high) {
    const middle = (low + high) >>> 1
    const there = filter.readUInt32BE(middle * 4)
    if (there === hash) return true
    if (there < hash) low = middle + 1
    else high = middle
  }
  return false
}
