import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createSecrets, isStrongKey, loadSecretsKey } from './secrets.ts'

const key = '5a'.repeat(16) + 'c3'.repeat(16)
const otherKey = 'd1'.repeat(32)

test('secrets sealed and links emailed before a key change still work', () => {
  const oldSecrets = createSecrets(key)
  const sealed = oldSecrets.seal('api key and secret', 'row-1')
  const link = oldSecrets.linkToken('newsletter-unsubscribe', 'row-1')
  const newSecrets = createSecrets(otherKey, key)
  expect(newSecrets.open(sealed, 'row-1')).toBe('api key and secret')
  expect(newSecrets.isCurrent(sealed)).toBe(false)
  expect(newSecrets.isLinkToken('newsletter-unsubscribe', 'row-1', link)).toBe(true)
  expect(newSecrets.isLinkToken('newsletter-confirm', 'row-1', link)).toBe(false)
  expect(createSecrets(otherKey).isLinkToken('newsletter-unsubscribe', 'row-1', link)).toBe(false)
})

test('each purpose has a key of its own, and none of them is the shop’s key', () => {
  const { seal, open, linkToken } = createSecrets(key)
  expect(open(seal('text', 'row'), 'row')).toBe('text')
  const tokens = ['password', 'newsletter-confirm', 'sandbox'].map((purpose) => linkToken(purpose, 'row-1'))
  expect(new Set(tokens).size).toBe(3)
})

test('a missing key is created for its owner alone; a truncated one stops the start', () => {
  const folder = mkdtempSync(join(tmpdir(), 'shop-secrets-'))
  const createdKey = loadSecretsKey(undefined, folder)
  expect(isStrongKey(createdKey)).toBe(true)
  expect(statSync(join(folder, 'secrets-key')).mode & 0o777).toBe(0o600)
  expect(loadSecretsKey(undefined, folder)).toBe(createdKey)
  for (const brokenKey of ['', createdKey.slice(0, 32), '0'.repeat(64)]) {
    writeFileSync(join(folder, 'secrets-key'), brokenKey)
    expect(() => loadSecretsKey(undefined, folder)).toThrow('does not hold a key')
  }
  rmSync(folder, { recursive: true })
})
