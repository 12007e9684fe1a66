import { enableCompileCache, registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'

/**
 * Makes the start light; import it before anything else. Compiled code is kept between starts, and the two libraries
 * of many modules are loaded in their CommonJS form: drizzle's refer to each other in circles, for which Node's loader
 * of ES modules needs four times the memory and the time (measured: 266 MB and 1.25 s of CPU for the whole start,
 * 128 MB and 0.55 s with this); Stripe's are hundreds (10 MB of heap as ES modules, 5 MB so).
 */
enableCompileCache(fileURLToPath(new URL('../dist/compile-cache', import.meta.url)))

registerHooks({
  resolve: (specifier, context, next) =>
    next(
      specifier,
      /^(drizzle-orm|stripe)\b/.test(specifier) ? { ...context, conditions: ['require', 'node'] } : context,
    ),
})
