import { readFileSync, writeFileSync } from 'node:fs'
import { hashOf } from '#server/security/common-passwords.ts'

/**
 * Rebuilds the filter from `src/passwords.json` of @zxcvbn-ts/language-common 4.1.3 (MIT), sorted by frequency:
 * the first 10,000 that a reset would accept (6 characters), the first 10,000 that sign-up would (8), and these.
 */
const extraPasswords = `
  p@ssword password12345 password! password1! pass12345 thepassword yourpassword change123 letmein123 letmein!
  welcome1! welcome! login123 loginlogin admin1234 admin12345 root1234 toor1234 test12345 guest123 user1234 user123
  default1 qwerty! god1234 football123 golf1234 batman123 naruto1 fortnite roblox hunter2 family1 android iphone
  windows10 linux123 trustno1! rockyou rock1234 linkinpark vietnam123 aa12345678 1234512345 2468101214 124356
  bitcoin bitcoin1 ethereum crypto123 trading trading1 trading123 trader123 tradingview tradingview1 stocks123
  invest123 rebound rebound1 sigma123 reboundsigma reboundsigmapro indicator
`
const seasons = ['spring', 'summer', 'autumn', 'winter']
const years = Array.from({ length: 16 }, (_, index) => 2020 + index)

const [file] = process.argv.slice(2)
if (!file) {
  console.error('Which list? node scripts/common-passwords.ts <list.json>')
  process.exit(1)
}
const list = (JSON.parse(readFileSync(file, 'utf8')) as string[]).map((password) => password.toLowerCase())
const mostFrequent = (minLength: number) => list.filter((password) => password.length >= minLength).slice(0, 10_000)
const passwords = [
  ...mostFrequent(6),
  ...mostFrequent(8),
  ...extraPasswords.trim().split(/\s+/),
  ...seasons.flatMap((season) => [`${season}123`, ...years.map((year) => season + year)]),
]
const hashes = [...new Set(passwords.map(hashOf))].toSorted((a, b) => a - b)
const filter = Buffer.alloc(hashes.length * 4)
for (const [index, hash] of hashes.entries()) filter.writeUInt32BE(hash, index * 4)
writeFileSync(new URL('../server/security/common-passwords.bin', import.meta.url), filter)
console.log(`${hashes.length} passwords in ${filter.length} bytes`)
