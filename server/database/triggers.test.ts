import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { liveStatuses } from '#contract/statuses.ts'
import { sqlList } from './sql-list.ts'

test('the triggers and the contract agree on what a live subscription is', () => {
  const triggers = readFileSync(new URL('./triggers.sql', import.meta.url), 'utf8')
  const lists = [...triggers.matchAll(/ in (\('[^)]*'\))/g)].map(([, list]) => list)
  expect(lists).toEqual([sqlList(liveStatuses), sqlList(liveStatuses)])
})
