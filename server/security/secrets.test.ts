import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createSecrets, isStrongKey, loadSecretsKey } from './secrets.ts'

const key = '5a'.repeat(16) + 'c3'.repeat(16)
const otherKey = 'd1'.repeat(32)
/** Made with `key` by the first release, which had one key for everything. */
const before = {
  sealed: 'b41a543c:yMYP-V3448ZRxvuIl-zh3RIbUaFdUqWjkyr0-Mh2z5WUXN6BN3jWmUPZgEnD-A',
  link: '_44VaGDaCltT_FJLCbMBfyZTKk4GdLRwzMps3oSMhaE',
}

test('what the first release sealed and emailed still opens, even after a key change', () => {
  for (const secrets of [createSecrets(key), createSecrets(otherKey, key)]) {
    expect(secrets.open(before.sealed, 'row-1')).toBe('api key and secret')
    expect(secrets.isCurrent(before.sealed)).toBe(false)
    expect(secrets.isLinkToken('newsletter-unsubscribe', 'row-1', before.link)).toBe(true)
    expect(secrets.isLinkToken('newsletter-confirm', 'row-1', before.link)).toBe(false)
  }
  expect(createSecrets(otherKey).isLinkToken('newsletter-unsubscribe', 'row-1', before.link)).toBe(false)
})

test('each purpose has a key of its own, and none of them is the shop’s key', () => {
  const { seal, open, keyId, linkToken } = createSecrets(key)
  expect(open(seal('text', 'row'), 'row')).toBe('text')
  expect(keyId).not.toBe(before.sealed.split(':')[0])
  expect(linkToken('newsletter-unsubscribe', 'row-1')).not.toBe(before.link)
  const tokens = ['password', 'newsletter-confirm', 'sandbox'].map((purpose) => linkToken(purpose, 'row-1'))
  expect(new Set(tokens).size).toBe(3)
})

test('a missing key is created for its owner alone; a truncated one stops the start', () => {
  const folder = mkdtempSync(join(tmpdir(), 'shop-secrets-'))
  const made = loadSecretsKey(undefined, folder)
  expect(isStrongKey(made)).toBe(true)
  expect(statSync(join(folder, 'secrets-key')).mode & 0o777).toBe(0o600)
  expect(loadSecretsKey(undefined, folder)).toBe(made)
  for (const broken of ['', made.slice(0, 32), '0'.repeat(64)]) {
    writeFileSync(join(folder, 'secrets-key'), broken)
    expect(() => loadSecretsKey(undefined, folder)).toThrow('does not hold a key')
  }
  rmSync(folder, { recursive: true })
})
