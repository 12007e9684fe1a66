import { expect, test } from 'vitest'
import { checkFileNames, checkInterfaces } from './interfaces.ts'

const modulePath = 'server/features/selling/codes/codes.ts'
const complaintsAbout = (source: string, path = modulePath) => checkInterfaces(new Map([[path, source]]))

test('a module that declares its interface and its needs is fine', () => {
  const source = `import type { Context } from '#server/context.ts'
    type CodeDeps = Pick<Context, 'db'>
    export type Codes = { list(): Promise<string[]> }
    // Never takes the whole Context.
    export function createCodes({ db }: CodeDeps): Codes {}`
  expect(complaintsAbout(source)).toEqual([])
})

test.for([
  ['an inferred interface', 'export type Codes = ReturnType<typeof createCodes>'],
  ['an undeclared return type', 'export function createCodes() {}'],
  ['the whole context', 'export function createCodes(context: Context): Codes {}'],
] as const)('%s is refused', ([, source]) => {
  expect(complaintsAbout(source)).toHaveLength(1)
  expect(complaintsAbout(source, 'server/http/gate.ts')).toEqual([])
})

test('a file name occurs once in an area of a top-level folder', () => {
  expect(checkFileNames(['server/features/site/a/page.ts', 'web/features/site/a/page.ts'])).toEqual([])
  expect(checkFileNames(['web/features/site/a/page.tsx', 'web/features/site/b/page.tsx'])).toEqual([
    'web/features/site/b/page.tsx and web/features/site/a/page.tsx have one name in one area',
  ])
})
