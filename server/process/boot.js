import { enableCompileCache, registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'

/**
 * Makes startup light: `node --import ./server/process/boot.js`, before anything else, and in plain JavaScript, because the
 * first TypeScript file that is not in the cache makes Node load its compiler (20 MB). Compiled code is kept between
 * starts, and the two libraries with many modules load in their CommonJS form: drizzle's reference each other in cycles,
 * for which Node's ES module loader needs four times the memory and time; Stripe's are hundreds.
 */
enableCompileCache(fileURLToPath(new URL('../../dist/compile-cache', import.meta.url)))

registerHooks({
  resolve: (specifier, context, next) =>
    next(
      specifier,
      /^(drizzle-orm|stripe)\b/.test(specifier) ? { ...context, conditions: ['require', 'node'] } : context,
    ),
})
