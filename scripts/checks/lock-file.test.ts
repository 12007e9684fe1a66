import { expect, test } from 'vitest'
import { checkLockFile } from './lock-file.ts'

const integrity = 'sha512-x'

test('a download URL and a missing hash are reported', () => {
  const packages = {
    '': {},
    'node_modules/a': { integrity, resolved: 'https://example.com/a.tgz' },
    'node_modules/b': {},
  }
  expect(checkLockFile({ packages })).toEqual([
    'node_modules/a has a download URL (see .npmrc)',
    'node_modules/b has no integrity hash',
  ])
})

test('a native package must come with all its builds, nested or not', () => {
  const native = { integrity, optionalDependencies: { 'n-linux': '1.0.0', 'n-windows': '1.0.0' } }
  const packages = { 'node_modules/n': native, 'node_modules/n-linux': { integrity } }
  expect(checkLockFile({ packages })).toEqual([
    'node_modules/n needs n-windows, which is not in the lock file: npm ci will refuse',
  ])
  const nested = { ...packages, 'node_modules/n/node_modules/n-windows': { integrity } }
  expect(checkLockFile({ packages: nested })).toEqual([])
})
