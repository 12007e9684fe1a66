import { createHmac, randomBytes } from 'node:crypto'

/** RFC 6238 with the parameters that every app supports: SHA-1, 6 digits, 30 seconds. */

const stepSeconds = 30
const digits = 6
/** Clocks differ, and typing takes time. */
const toleranceSteps = 1

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** 20 bytes, the length of a SHA-1 hash, as RFC 4226 recommends. */
export const randomSecret = () => base32(randomBytes(20))

const toBits = (number: number, length: number) => number.toString(2).padStart(length, '0')
const fromBits = (bits: string) => Number.parseInt(bits, 2)

function base32(bytes: Uint8Array): string {
  const bits = Array.from(bytes, (byte) => toBits(byte, 8)).join('')
  const groupsOfFive = bits.match(/.{1,5}/g) ?? []
  return groupsOfFive.map((group) => alphabet[fromBits(group.padEnd(5, '0'))]).join('')
}

function fromBase32(text: string): Buffer {
  const bits = Array.from(text, (letter) => toBits(alphabet.indexOf(letter), 5)).join('')
  const groupsOfEight = bits.match(/.{8}/g) ?? []
  return Buffer.from(groupsOfEight.map(fromBits))
}

const stepAt = (time: Date) => Math.floor(time.getTime() / 1000 / stepSeconds)

export function codeAt(secret: string, step: number, length = digits): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const mac = createHmac('sha1', fromBase32(secret)).update(counter).digest()
  // Dynamic truncation of RFC 4226: the last four bits are the offset of the number.
  const offset = (mac.at(-1) ?? 0) & 0xf
  const number = mac.readUInt32BE(offset) & 0x7fffffff
  return String(number % 10 ** length).padStart(length, '0')
}

/** Returns the time step of a valid code. It must be newer than the last used step, so that no code works twice. */
export function stepOfValidCode(code: string, secret: string, now: Date, lastUsedStep: number): number | undefined {
  const current = stepAt(now)
  for (let step = current - toleranceSteps; step <= current + toleranceSteps; step++)
    if (step > lastUsedStep && codeAt(secret, step) === code) return step
  return undefined
}

export function otpAuthUrl(secret: string, issuer: string, account: string): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(account)}`
  return `otpauth://totp/${label}?${new URLSearchParams({ secret, issuer }).toString().replaceAll('+', '%20')}`
}
