import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export type Secrets = ReturnType<typeof createSecrets>

/** The shop's one key: from the environment, or made once and kept in the data folder. */
export function loadSecretsKey(given: string | undefined, dataDir: string): string {
  if (given) return given
  const file = join(dataDir, 'secrets-key')
  mkdirSync(dataDir, { recursive: true })
  try {
    writeFileSync(file, randomBytes(32).toString('hex'), { mode: 0o600, flag: 'wx' })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  return readFileSync(file, 'utf8').trim()
}

/** `oldHexKey` opens what was sealed before the key was changed; nothing new is sealed with it. */
export function createSecrets(hexKey: string, oldHexKey?: string) {
  const key = Buffer.from(hexKey, 'hex')
  const keyId = idOf(key)
  const keys = new Map([[keyId, key]])
  if (oldHexKey) {
    const old = Buffer.from(oldHexKey, 'hex')
    keys.set(idOf(old), old)
  }

  const linkToken = (purpose: string, rowId: string) =>
    createHmac('sha256', key).update(`${purpose}:${rowId}`).digest('base64url')

  return {
    keyId,

    /** Encrypts; `owner` (a row's id) must be given again to open, so that a sealed text cannot be moved to another row. */
    seal(text: string, owner: string): string {
      const nonce = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(owner))
      const sealed = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
      return `${keyId}:${sealed.toString('base64url')}`
    },

    open(sealedText: string, owner: string): string {
      const [id = '', encoded = ''] = sealedText.split(':')
      const itsKey = keys.get(id)
      if (!itsKey)
        throw new Error(`Sealed with key ${id}, but the shop has ${[...keys.keys()].join(' and ')}`)
      const sealed = Buffer.from(encoded, 'base64url')
      const decipher = createDecipheriv('aes-256-gcm', itsKey, sealed.subarray(0, 12)).setAAD(
        Buffer.from(owner),
      )
      decipher.setAuthTag(sealed.subarray(-16))
      return Buffer.concat([decipher.update(sealed.subarray(12, -16)), decipher.final()]).toString('utf8')
    },

    isCurrent: (sealedText: string) => sealedText.startsWith(`${keyId}:`),

    /**
     * The secret part of a mailed link, made from the row's id. It can be made again when the mail is sent,
     * so neither the database nor the job queue ever holds it.
     */
    linkToken,

    isLinkToken(purpose: string, rowId: string, token: string): boolean {
      const [right, given] = [Buffer.from(linkToken(purpose, rowId)), Buffer.from(token)]
      return right.length === given.length && timingSafeEqual(right, given)
    },
  }
}

/** Stored beside each secret, so that after a change of keys the right one is known. */
const idOf = (key: Buffer) => createHash('sha256').update(key).digest('hex').slice(0, 8)
