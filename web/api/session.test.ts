import { expect, test } from 'vitest'
import { accounts } from '#contract/accounts.ts'
import { currentUser } from './session.ts'

test('the call of the header is the one of the contract', () => {
  expect(accounts.user).toMatchObject(currentUser)
})
