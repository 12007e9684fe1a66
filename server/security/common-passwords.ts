import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { paths } from '../paths.ts'

/** 4-byte hashes, written by `scripts/common-passwords.ts`. */
const sortedHashes = readFileSync(paths.commonPasswords)

export const hashOf = (password: string) => createHash('sha256').update(password).digest().readUInt32BE()

const usKeyboardRows = ['abcdefghijklmnopqrstuvwxyz', '01234567890123456789', 'qwertyuiop', 'asdfghjkl', 'zxcvbnm']
const otherKeyboardRows = ['qwertzuiop', 'yxcvbnm', 'azertyuiop', 'qsdfghjklm']
const sequences = [...usKeyboardRows, ...otherKeyboardRows].flatMap((row) => [row, row.split('').toReversed().join('')])
const repeatedPattern = /^(.{1,4})\1+$/s

export function isCommonPassword(password: string): boolean {
  const lowerCased = password.toLowerCase()
  return (
    repeatedPattern.test(lowerCased) ||
    sequences.some((sequence) => sequence.includes(lowerCased)) ||
    isInSortedHashes(hashOf(lowerCased))
  )
}

function isInSortedHashes(hash: number): boolean {
  let [low, high] = [0, sortedHashes.length / 4]
  while (low < high) {
    const middle = (low + high) >>> 1
    const middleHash = sortedHashes.readUInt32BE(middle * 4)
    if (middleHash === hash) return true
    if (middleHash < hash) low = middle + 1
    else high = middle
  }
  return false
}
