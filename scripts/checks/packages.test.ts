import { expect, test } from 'vitest'
import { checkLockFile, checkMaterials } from './packages.ts'

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

const hashes = [{ alg: 'SHA-512', content: 'x' }]
const complaintsAbout = (licenses: Parameters<typeof checkMaterials>[0]['components'][0]['licenses']) =>
  checkMaterials({ components: [{ name: 'a', version: '1.0.0', hashes, ...(licenses && { licenses }) }] })

test('a package with a license that is not on the list, or with none, is reported', () => {
  for (const terms of ['GPL-3.0', 'MIT AND GPL-3.0', '(GPL-2.0 OR AGPL-3.0)'])
    expect(complaintsAbout([{ expression: terms }])).toEqual([
      `a@1.0.0 has the license ${terms}, which is not on our list`,
    ])
  expect(complaintsAbout([{ license: { name: 'UNLICENSED' } }])).toHaveLength(1)
  expect(complaintsAbout(undefined)).toEqual(['a@1.0.0 has the license (none), which is not on our list'])
})

test('one good license out of several is enough', () => {
  expect(complaintsAbout([{ license: { id: 'MIT' } }])).toEqual([])
  expect(complaintsAbout([{ expression: '(GPL-2.0 OR MIT)' }])).toEqual([])
})

test('a package without a hash is reported', () => {
  expect(
    checkMaterials({ components: [{ name: 'b', version: '2.0.0', licenses: [{ license: { id: 'ISC' } }] }] }),
  ).toEqual(['b@2.0.0 has no hash'])
})
