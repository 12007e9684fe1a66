import { expect, test } from 'vitest'
import { compareHashes } from './migrations.ts'

const released = { '0000_init.sql': 'a', '0001_more.sql': 'b' }

test('the migrations that shops have run are left alone', () => {
  expect(compareHashes(released, released)).toEqual([])
})

test('a migration that was changed, removed or not generated is refused', () => {
  expect(compareHashes({ ...released, '0000_init.sql': 'x' }, released)).toEqual([
    '0000_init.sql has changed, but shops have run it: add a new migration instead',
  ])
  expect(compareHashes({ '0000_init.sql': 'a' }, released)).toEqual([
    '0001_more.sql is gone, but shops have run it',
  ])
  expect(compareHashes({ ...released, '0002_by_hand.sql': 'c' }, released)).toHaveLength(1)
})
