import { openTestPostgres } from './test-database.ts'

/** For vitest and playwright alike: what it returns is called at the end. */
export default openTestPostgres
