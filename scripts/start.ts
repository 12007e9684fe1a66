import freshWeb from './fresh-web.ts'

/** `npm start`: builds the web part when it is missing or older than its sources, then opens the shop. */
await freshWeb()
await import('#server/main.ts')
