import { expect, test } from 'vitest'
import { checkMaterials } from './materials.ts'

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
