import { existsSync } from 'node:fs'
import freshWeb from './fresh-web.ts'

/** `npm start`: builds the web part if it is missing or out of date, then starts the shop. */
if (existsSync('.env')) process.loadEnvFile('.env')
await freshWeb()
await import('#server/main.ts')
