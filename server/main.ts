import { run } from './process/run.ts'

await run()
