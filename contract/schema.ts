import type * as z from './zod.ts'

export type Zod = typeof z

/**
 * A schema that is made when somebody first validates with it, by the library they bring. So a page that only calls
 * imports rows without importing zod.
 */
export type Schema<S extends z.ZodMiniType = z.ZodMiniType> = (z: Zod) => S

export function schema<S extends z.ZodMiniType>(make: Schema<S>): Schema<S> {
  let made: S | undefined
  return (z) => {
    made ??= make(z)
    return made
  }
}

/** What goes into a schema and what comes out of it. */
export type InferInput<S extends Schema> = z.input<ReturnType<S>>
export type InferOutput<S extends Schema> = z.output<ReturnType<S>>
