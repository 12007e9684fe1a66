import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { liveStatuses } from '#contract/statuses.ts'
import { sqlList } from './sql-list.ts'

test('what the triggers call a live subscription is what the contract calls one', () => {
  const triggers = readFileSync(new URL('./triggers.sql', import.meta.url), 'utf8')
  const lists = [...triggers.matchAll(/ in (\('[^)]*'\))/g)].map(([, list]) => list)
  expect(lists).toEqual([sqlList(liveStatuses), sqlList(liveStatuses)])
})
