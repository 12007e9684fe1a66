import { loadEnvFile } from '#server/config/env-file.ts'
import freshWeb from './fresh-web.ts'

/** `npm start`: builds the web part if it is missing or out of date, then starts the shop. */
loadEnvFile()
await freshWeb()
await import('#server/main.ts')
