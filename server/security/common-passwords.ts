import { readFileSync } from 'node:fs'
import { paths } from '../paths.ts'

/** Most frequent passwords of @zxcvbn-ts/language-common 4.1.3, lower-cased, and words about seasons and this shop. */
const commonPasswords = new Set(readFileSync(paths.commonPasswords, 'utf8').split('\n'))

const usKeyboardRows = ['abcdefghijklmnopqrstuvwxyz', '01234567890123456789', 'qwertyuiop', 'asdfghjkl', 'zxcvbnm']
const otherKeyboardRows = ['qwertzuiop', 'yxcvbnm', 'azertyuiop', 'qsdfghjklm']
const sequences = [...usKeyboardRows, ...otherKeyboardRows].flatMap((row) => [row, row.split('').toReversed().join('')])
const repeatedPattern = /^(.{1,4})\1+$/s

export function isCommonPassword(password: string): boolean {
  const lowerCased = password.toLowerCase()
  return (
    repeatedPattern.test(lowerCased) ||
    sequences.some((sequence) => sequence.includes(lowerCased)) ||
    commonPasswords.has(lowerCased)
  )
}
