import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { refusalCodes } from './refusals.ts'

test('every refusal code is listed once and used by the server', () => {
  expect(new Set(refusalCodes).size).toBe(refusalCodes.length)
  const server = globSync('server/**/*.ts', { exclude: ['**/*.test.ts'] })
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n')
  expect(refusalCodes.filter((code) => !server.includes(`'${code}'`))).toEqual([])
})
