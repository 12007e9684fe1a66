import { expect, test } from 'vitest'
import { findDuplicates } from './duplicates.ts'

const lines = (prefix: string, count: number) =>
  Array.from(Array(count).keys(), (number) => `  ${prefix}(${number})`).join('\n')

test('the same twelve lines in two files are reported, whatever their indentation and comments', () => {
  const once = `import { a } from './a.ts'\n\n${lines('step', 12)}\n`
  const again = `function other() {\n// why\n${lines('  step', 12)}\n}\n`
  expect(findDuplicates(new Map(Object.entries({ 'server/a.ts': once, 'server/b.ts': again })))).toEqual([
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
