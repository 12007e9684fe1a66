import { run } from './process/run.ts'

await run({ pagesAreFromVite: process.argv.includes('--pages-from-vite') })
