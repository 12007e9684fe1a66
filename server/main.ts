import { enableCompileCache } from 'node:module'
import { join } from 'node:path'
import { paths } from './paths.ts'

// NODE_COMPILE_CACHE, if set, names another folder.
enableCompileCache(join(paths.dist, 'compile-cache'))
// Imported after `enableCompileCache`, because the cache holds only modules that are loaded later.
const { run } = await import('./process/run.ts')
await run({ pagesAreFromVite: process.argv.includes('--pages-from-vite') })
