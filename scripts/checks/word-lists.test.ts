import { expect, test } from 'vitest'
import { checkWordLists } from './word-lists.ts'

const complaintsAbout = (source: string, path = 'server/a.ts') =>
  checkWordLists(new Map([[path, source]])).complaints

test.for([
  ['an array', `const live = ['active', 'pending_cancel', 'past_due']`],
  ['in another order', `const live = ['past_due', 'active', 'pending_cancel']`],
  ['a type', `type Billing = 'monthly' | 'yearly'`],
  ['SQL', "sql`status in ('requested', 'granted', 'refused')`"],
  ['over several lines', `[\n  "monthly",\n  "yearly",\n]`],
])('a copied list is reported: %s', ([, source]) => {
  expect(complaintsAbout(source ?? '')).toEqual([
    expect.stringMatching(/^server\/a.ts lists .* import it from/),
  ])
})

test('a single word, a pair out of many, and what tests expect are not copies', () => {
  expect(complaintsAbout(`if (status === 'active' || status === 'past_due') return 'monthly'`)).toEqual([])
  expect(complaintsAbout(`claim.status in ('requested', 'granted')`)).toEqual([])
  expect(complaintsAbout(`['monthly', 'yearly']`, 'server/a.test.ts')).toEqual([])
})

test('every list is checked', () => {
  expect(checkWordLists(new Map()).lists).toBe(23)
})
