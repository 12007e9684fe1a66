import { enableCompileCache, registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'

/**
 * Makes the start light: `node --import ./server/process/boot.js`, before anything else, and in plain JavaScript, because the
 * first TypeScript file that is not in the cache makes Node load its compiler (20 MB). Compiled code is kept between starts, and
 * the two libraries of many modules are loaded in their CommonJS form: drizzle's refer to each other in circles, for
 * which Node's loader of ES modules needs four times the memory and the time; Stripe's are hundreds.
 */
enableCompileCache(fileURLToPath(new URL('../../dist/compile-cache', import.meta.url)))

registerHooks({
  resolve: (specifier, context, next) =>
    next(
      specifier,
      /^(drizzle-orm|stripe)\b/.test(specifier) ? { ...context, conditions: ['require', 'node'] } : context,
    ),
})
