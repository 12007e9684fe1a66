import { expect, test } from 'vitest'
import { createCrashCounter } from './crash-counter.ts'

test('crashes in a row add up, and those of another day are forgotten', () => {
  let now = 0
  const countCrash = createCrashCounter(() => now)
  expect([countCrash(), countCrash(), countCrash()]).toEqual([1, 2, 3])
  now += 4 * 60_000
  expect(countCrash()).toBe(4)
  now += 2 * 60_000
  expect(countCrash()).toBe(2)
  now += 86_400_000
  expect(countCrash()).toBe(1)
})
