import { expect, test } from 'vitest'
import { checkLockFile } from './lock-file.ts'

const integrity = 'sha512-x'

test('a download address and a missing hash are found', () => {
  const packages = {
    '': {},
    'node_modules/a': { integrity, resolved: 'https://example.com/a.tgz' },
    'node_modules/b': {},
  }
  expect(checkLockFile({ packages })).toEqual([
    'node_modules/a has a download address (see .npmrc)',
    'node_modules/b has no integrity hash',
  ])
})

test('a native package must bring its builds for both kinds of Linux machines', () => {
  const native = { integrity, optionalDependencies: { 'n-linux-x64': '1.0.0', 'n-linux-arm64': '1.0.0' } }
  const x64 = { 'node_modules/n': native, 'node_modules/n-linux-x64': { integrity } }
  expect(checkLockFile({ packages: x64 })).toEqual([
    'node_modules/n needs n-linux-arm64, which is not in the lock file',
  ])
  const both = { ...x64, 'node_modules/n/node_modules/n-linux-arm64': { integrity } }
  expect(checkLockFile({ packages: both })).toEqual([])
  const onlyX64 = { integrity, optionalDependencies: { 'n-linux-x64': '1.0.0' } }
  expect(checkLockFile({ packages: { ...x64, 'node_modules/n': onlyX64 } })).toEqual([
    'node_modules/n has no build for linux arm64',
  ])
})
