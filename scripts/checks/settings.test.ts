import { expect, test } from 'vitest'
import { checkSettings } from './settings.ts'

test('every setting is explained exactly once, and nothing else is', () => {
  const example = '# The port\n# PORT=3000\nHOST=localhost\n\n# PORT=3001\nCOLOUR=red\n'
  expect(checkSettings(example, ['PORT', 'HOST', 'DATA_DIR'])).toEqual([
    '.env.example does not explain DATA_DIR',
    '.env.example has COLOUR, which nothing reads',
    '.env.example has PORT twice',
  ])
})
