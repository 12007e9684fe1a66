import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { StartError } from '../errors.ts'

export type Secrets = ReturnType<typeof createSecrets>

/** Created once and kept in the data folder, unless the environment sets it. */
export function loadSecretsKey(configuredKey: string | undefined, dataDir: string): string {
  if (configuredKey) return configuredKey
  mkdirSync(dataDir, { recursive: true })
  try {
    writeFileSync(keyFile(dataDir), randomBytes(32).toString('hex'), { mode: 0o600, flag: 'wx' })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  return readKey(keyFile(dataDir))
}

export function findSecretsKey(configuredKey: string | undefined, dataDir: string): string | undefined {
  if (configuredKey) return configuredKey
  const file = keyFile(dataDir)
  return existsSync(file) ? readKey(file) : undefined
}

const keyFile = (dataDir: string) => join(dataDir, 'secrets-key')

function readKey(file: string): string {
  const stored = readFileSync(file, 'utf8').trim()
  if (!isStrongKey(stored))
    throw new StartError(
      `${file} does not hold a key. Restore your copy of it, or delete the file if no exchange keys were sealed with it yet.`,
    )
  return stored
}

/** True for 32 bytes of which at least 16 differ; a random key has about 30 different ones. */
export const isStrongKey = (hexKey: string) =>
  /^[0-9a-f]{64}$/i.test(hexKey) && new Set(Buffer.from(hexKey, 'hex')).size >= 16

/** HKDF: one derived key reveals nothing about another. */
const deriveKey = (key: Buffer, purpose: string) =>
  Buffer.from(hkdfSync('sha256', key, '', `rebound-sigma-shop ${purpose}`, 32))

const mac = (key: Buffer, text: string) => createHmac('sha256', key).update(text).digest('base64url')

/** `oldHexKey` only opens and verifies secrets from before a key change. */
export function createSecrets(hexKey: string, oldHexKey?: string) {
  const key = Buffer.from(hexKey, 'hex')
  const shopKeys = oldHexKey ? [key, Buffer.from(oldHexKey, 'hex')] : [key]
  const sealingKey = deriveKey(key, 'seal')
  const keyId = idOf(sealingKey)
  const openingKeys = new Map(
    shopKeys.map((shopKey) => deriveKey(shopKey, 'seal')).map((opening) => [idOf(opening), opening]),
  )

  const tokenSignedBy = (shopKey: Buffer, purpose: string, signedValue: string) =>
    mac(deriveKey(shopKey, `link ${purpose}`), signedValue)

  return {
    keyId,

    /** By the id of the shop key that each is derived from. */
    backupKeys: new Map(shopKeys.map((shopKey) => [idOf(deriveKey(shopKey, 'seal')), deriveKey(shopKey, 'backup')])),

    /** Opening needs the same `owner` (a row's id), so a sealed text cannot be moved to another row. */
    seal(text: string, owner: string): string {
      const nonce = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', sealingKey, nonce).setAAD(Buffer.from(owner))
      const sealed = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
      return `${keyId}:${sealed.toString('base64url')}`
    },

    open(sealedText: string, owner: string): string {
      const [id = '', encoded = ''] = sealedText.split(':')
      const openingKey = openingKeys.get(id)
      if (!openingKey) throw new Error(`Sealed with key ${id}, but the shop has ${[...openingKeys.keys()].join(', ')}`)
      const sealed = Buffer.from(encoded, 'base64url')
      const decipher = createDecipheriv('aes-256-gcm', openingKey, sealed.subarray(0, 12), {
        authTagLength: 16,
      }).setAAD(Buffer.from(owner))
      decipher.setAuthTag(sealed.subarray(-16))
      return Buffer.concat([decipher.update(sealed.subarray(12, -16)), decipher.final()]).toString('utf8')
    },

    /** Id of the key that the text is sealed with, if the shop lacks it. */
    missingKeyId(sealedText: string): string | undefined {
      const [id = ''] = sealedText.split(':')
      return openingKeys.has(id) ? undefined : id
    },

    isCurrent: (sealedText: string) => sealedText.startsWith(`${keyId}:`),

    /** Derived when the email is sent, so neither database nor queue ever holds it. */
    linkToken: (purpose: string, signedValue: string) => tokenSignedBy(key, purpose, signedValue),

    isLinkToken(purpose: string, signedValue: string, token: string): boolean {
      const received = Buffer.from(token)
      return shopKeys
        .map((shopKey) => Buffer.from(tokenSignedBy(shopKey, purpose, signedValue)))
        .some((expected) => expected.length === received.length && timingSafeEqual(expected, received))
    },
  }
}

/** Stored next to each secret, so the right key is known after a key change. */
const idOf = (key: Buffer) => createHash('sha256').update(key).digest('hex').slice(0, 8)
