import { enableCompileCache, registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'

/**
 * Makes startup light: `node --import ./server/process/boot.js`, before anything else, and in plain JavaScript, because the
 * first TypeScript file that is not in the cache makes Node load its compiler (20 MB). Compiled code is kept between
 * starts. The two libraries with many modules load in their CommonJS form: drizzle's reference each other in cycles, for
 * which Node's ES module loader needs four times the memory and time; Stripe's are hundreds. And what our own imports
 * mean is known without the search that took a third of the startup.
 */
enableCompileCache(fileURLToPath(new URL('../../dist/compile-cache', import.meta.url)))

const root = new URL('../../', import.meta.url).href
const isOurs = (url = '') => url.startsWith(root) && !url.startsWith(`${root}node_modules/`)

/** A library is the same one for all our files; Node would look for it from each of them. */
const libraries = new Map()

registerHooks({
  resolve(specifier, context, next) {
    if (!isOurs(context.parentURL)) return next(specifier, context)
    // They name a file exactly.
    if (/^[.#].*\.ts$/.test(specifier)) {
      const { href } = new URL(specifier.replace(/^#/, root), context.parentURL)
      return { url: href, format: 'module-typescript', shortCircuit: true }
    }
    if (/^[.#]/.test(specifier)) return next(specifier, context)
    if (!libraries.has(specifier)) {
      const conditions = /^(drizzle-orm|stripe)\b/.test(specifier) ? ['require', 'node'] : context.conditions
      libraries.set(specifier, next(specifier, { ...context, conditions }))
    }
    return { ...libraries.get(specifier), shortCircuit: true }
  },
})
