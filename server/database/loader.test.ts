import { expect, test } from 'vitest'
import { createLoader } from './loader.ts'

const looks: number[][] = []
const square = createLoader(async (numbers: number[]) => {
  looks.push(numbers)
  if (numbers.includes(0)) throw new Error('away')
  return new Map(numbers.filter((number) => number > 0).map((number) => [number, number ** 2]))
})

test('lookups made at the same moment run as one, and each gets its own answer', async () => {
  looks.length = 0
  expect(await Promise.all([square(3), square(-1), square(2), square(3)])).toEqual([9, undefined, 4, 9])
  expect(await square(5)).toBe(25)
  expect(looks).toEqual([[3, -1, 2, 3], [5]])
})

test('a failure reaches everyone in the same batch, and nobody after it', async () => {
  const together = await Promise.allSettled([square(4), square(0)])
  expect(together.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(await square(4)).toBe(16)
})
