import { expect, test } from 'vitest'
import { checkDocuments } from './documents.ts'

test('a document that names a missing file or command is reported', () => {
  const text =
    'See `server/app.ts`, `server/old.ts`, `web/`, `<room>/routes.ts`; `npm run check` and `npm run old:one`.'
  const repository = { exists: (path: string) => path !== 'server/old.ts', scripts: ['check'] }
  expect(checkDocuments(new Map([['README.md', text]]), repository)).toEqual([
    'README.md names server/old.ts, which does not exist',
    'README.md names npm run old:one, which does not exist',
  ])
})
