import { expect, test } from 'vitest'
import { checkPlanNames, checkWordLists, findDuplicates } from './sources.ts'

const lines = (prefix: string, count: number) =>
  Array.from(Array(count).keys(), (number) => `  ${prefix}(${number})`).join('\n')

test('the same twelve lines in two files are reported, whatever their indentation and comments', () => {
  const original = `import { a } from './a.ts'\n\n${lines('step', 12)}\n`
  const copy = `function other() {\n// why\n${lines('  step', 12)}\n}\n`
  expect(findDuplicates(new Map(Object.entries({ 'server/a.ts': original, 'server/b.ts': copy })))).toEqual([
    'server/b.ts:3 repeats 12 lines of server/a.ts:3',
  ])
})

test('nine lines in common, or the same imports, are not a duplicate', () => {
  const imports = lines('import { x } from', 12)
    .replaceAll(/\((\d+)\)/g, "'./$1.ts'")
    .replaceAll(/^ +/gm, '')
  const files = {
    'web/a.ts': `${imports}\n${lines('one', 9)}\n${lines('two', 9)}`,
    'web/b.ts': `${imports}\n${lines('two', 9)}\n${lines('one', 9)}`,
  }
  expect(findDuplicates(new Map(Object.entries(files)))).toEqual([])
})

const complaintsAbout = (source: string, path = 'server/a.ts') => checkWordLists(new Map([[path, source]])).complaints

test.for([
  ['an array', `const live = ['active', 'pending_cancel', 'past_due']`],
  ['in another order', `const live = ['past_due', 'active', 'pending_cancel']`],
  ['a type', `type Billing = 'monthly' | 'quarterly' | 'yearly'`],
  ['SQL', "sql`status in ('asked', 'unlocking', 'unlocked')`"],
  ['over several lines', `[\n  "monthly",\n  "quarterly",\n  "yearly",\n]`],
])('a copied list is reported: %s', ([, source]) => {
  expect(complaintsAbout(source ?? '')).toEqual([expect.stringMatching(/^server\/a.ts lists .* import it from/)])
})

test('a single word, a pair out of many, and what tests expect are not copies', () => {
  expect(complaintsAbout(`if (status === 'active' || status === 'past_due') return 'monthly'`)).toEqual([])
  expect(complaintsAbout(`access.state in ('asked', 'unlocked')`)).toEqual([])
  expect(complaintsAbout(`['monthly', 'yearly']`, 'server/a.test.ts')).toEqual([])
})

test('a plan is named in its row and in the law’s texts only', () => {
  const planComplaints = (source: string, path = 'server/a.ts') => checkPlanNames(new Map([[path, source]]))
  expect(planComplaints(`if (billing === 'yearly') return 12`)).toEqual([
    expect.stringContaining('server/a.ts:1 names a plan'),
  ])
  expect(planComplaints('const price = prices.monthly', 'web/a.tsx')).toHaveLength(1)
  expect(planComplaints(`const text = 'a yearly subscription'`)).toEqual([])
  expect(planComplaints(`billing: 'yearly'`, 'contract/plans.ts')).toEqual([])
  expect(planComplaints(`billing: 'yearly'`, 'server/a.test.ts')).toEqual([])
})

test('every list is checked', () => {
  expect(checkWordLists(new Map()).lists).toBeGreaterThan(30)
})
