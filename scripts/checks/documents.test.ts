import { expect, test } from 'vitest'
import { checkDocuments, checkSettings } from './documents.ts'

test('a document that names a missing file or command is reported', () => {
  const text =
    'See `server/app.ts`, `server/old.ts`, `web/`, `<area>/routes.ts`; `npm run check` and `npm run old:one`.'
  const repository = { exists: (path: string) => path !== 'server/old.ts', scripts: ['check'] }
  expect(checkDocuments(new Map([['README.md', text]]), repository)).toEqual([
    'README.md names server/old.ts, which does not exist',
    'README.md names npm run old:one, which does not exist',
  ])
})

test('every setting is explained exactly once, and nothing else is', () => {
  const example = '# The port\n# PORT=3000\nHOST=localhost\n\n# PORT=3001\nCOLOUR=red\n'
  expect(checkSettings(example, ['PORT', 'HOST', 'DATA_DIR'])).toEqual([
    '.env.example does not explain DATA_DIR',
    '.env.example has COLOUR, which nothing reads',
    '.env.example has PORT twice',
  ])
})
