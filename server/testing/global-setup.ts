import { openTestPostgres } from './test-database.ts'

/** For both vitest and playwright: what it returns is called at the end. */
export default openTestPostgres
