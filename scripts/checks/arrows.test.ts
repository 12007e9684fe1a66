import { existsSync, readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { checkArrows } from './arrows.ts'
import { folders, readSources } from './sources.ts'
import { offered, webFeatureOf } from './web-layers.ts'

function complaintsAbout(files: Record<string, string>) {
  return checkArrows(new Map(Object.entries(files))).complaints
}

test.for([
  ['the browser never imports the server', 'web/main.tsx', '#server/app.ts', 'web may not import server'],
  ['the server never imports the browser', 'server/app.ts', '#web/main.tsx', 'server may not import web'],
  ['the contract imports no other folder', 'contract/a.ts', '#server/errors.ts', 'contract may not import server'],
  ['the sandbox stands alone', 'sandbox/a.ts', '#contract/fields.ts', 'sandbox may not import contract'],
  ['the server knows only Stripe', 'server/gateways/stripe.ts', '#sandbox/a.ts', 'server may not import sandbox'],
  ['the platform imports no features', 'server/http/a.ts', '#server/features/site/b/b.ts', 'the platform'],
  [
    'a module knows nothing about HTTP',
    'server/features/site/a/a.ts',
    '#server/http/mount.ts',
    "only an area's routes.ts knows about HTTP",
  ],
  [
    'an area imports only areas before it',
    'server/features/selling/a/a.ts',
    '#server/features/access/b/b.ts',
    'selling may not know access',
  ],
  [
    'an area of the contract imports only areas before it',
    'contract/identity/a.ts',
    '#contract/admin/b.ts',
    'identity may not know admin',
  ],
  ['a feature has one entry point', 'server/features/site/a/a.ts', '../b/inner.ts', 'other modules import only'],
  ['test helpers stay in tests', 'server/app.ts', './testing/open-shop.ts', 'only tests may import test helpers'],
  ['benchmarks know no faults', 'proofs/bench/a.ts', '../faults/b.ts', 'share only proofs/lab'],
  ['the cluster proof knows no faults either', 'proofs/cluster.ts', './faults/b.ts', 'share only proofs/lab'],
  ['ui knows nothing about the shop', 'web/ui/form.tsx', '#contract/call.ts', 'ui knows nothing about the shop'],
  ['ui makes no calls', 'web/ui/form.tsx', '#web/api/client.ts', 'ui may not import api'],
  [
    'a call knows no pages',
    'web/api/client.ts',
    '#web/features/identity/sign-in/return-path.ts',
    'api may not import features',
  ],
  [
    'a page does not know its layout',
    'web/features/site/a/a-page.tsx',
    '#web/layout/header.tsx',
    'features may not import app',
  ],
  [
    'a page keeps some files to itself',
    'web/features/site/a/a-page.tsx',
    '#web/features/site/b/inner.ts',
    'b does not offer it',
  ],
  [
    'the app imports only offered files, too',
    'web/layout/header.tsx',
    '#web/features/site/b/inner.ts',
    'b does not offer it',
  ],
  ['top-level folders are imported with #', 'web/main.tsx', '../contract/fields.ts', 'write #contract/fields.ts'],
] as const)('%s', ([, from, specifier, complaint]) => {
  const to = specifier.startsWith('#') ? specifier.slice(1) : new URL(specifier, `file:///${from}`).pathname.slice(1)
  const kinds = [`import { x } from '${specifier}'`, `export * from '${specifier}'`, `void import('${specifier}')`]
  for (const source of [...kinds, `import type { X } from '${specifier}'`])
    expect(complaintsAbout({ [from]: source, [to]: '' })).toEqual([expect.stringContaining(complaint)])
})

test('a module imports no HTTP package; only the area’s routes do', () => {
  const source = "import 'fastify'\nimport '@fastify/cookie'\nimport 'node:http'"
  expect(complaintsAbout({ 'server/features/site/routes.ts': source })).toEqual([])
  expect(complaintsAbout({ 'server/features/site/a/inner.ts': source })).toHaveLength(3)
})

test('the contract imports no package but zod', () => {
  const packages = "import { z } from 'zod'\nimport React from 'react'"
  expect(complaintsAbout({ 'contract/row.ts': packages })).toEqual([
    'contract/row.ts imports react: the contract imports only zod',
  ])
})

test('every file that a web feature offers is used by another feature or the app', () => {
  const importersOf = new Map(offered.map((file) => [file, new Set<string>()]))
  for (const [from, source] of readSources('.'))
    for (const [, file] of source.matchAll(/'(?:#web|\.)\/(features\/[^']+)'/g)) {
      const to = `web/${file}`
      if (webFeatureOf(to) !== webFeatureOf(from)) importersOf.get(to)?.add(from)
    }
  expect([...importersOf].filter(([, importers]) => importers.size === 0)).toEqual([])
})

test('allowed imports pass', () => {
  const files = {
    'contract/a.ts': "import { z } from 'zod'",
    'web/main.tsx': "import '#contract/a.ts'\nimport 'react'\nimport './features/identity/sign-in/return-path.ts'",
    'web/features/identity/sign-in/return-path.ts': "import '#web/api/client.ts'",
    'web/api/client.ts': "import '#contract/a.ts'\nimport '#web/ui/toast.tsx'",
    'web/ui/toast.tsx': '',
    'server/app.ts': "import './features/site/routes.ts'\nimport './features/site/a/a.ts'",
    'server/features/site/routes.ts': "import './a/a.ts'\nimport '#contract/a.ts'",
    'server/features/site/a/a.ts': "import '../b/b.ts'\nimport '#server/database/schema.ts'",
    'server/features/site/b/b.ts': '',
    'server/database/schema.ts': '',
    'server/testing/open-shop.ts': "import '#sandbox/a.ts'\nimport '#server/app.ts'",
    'sandbox/a.ts': '',
    'sandbox/a.test.ts': "import '#server/testing/open-shop.ts'",
  }
  expect(checkArrows(new Map(Object.entries(files)))).toEqual({ complaints: [], modules: 13, imports: 14 })
})

test('every module on disk is checked', () => {
  const onDisk = folders
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => readdirSync(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
  expect(checkArrows(readSources('.')).modules).toBe(onDisk.length)
})
