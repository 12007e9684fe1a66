import type * as z from './zod.ts'

export type Zod = typeof z

/** A schema built on first use, with the zod that the validating side passes in: a page that only makes calls needs none. */
export type Schema<S extends z.ZodMiniType = z.ZodMiniType> = (z: Zod) => S

/* @__NO_SIDE_EFFECTS__ */
export function schema<S extends z.ZodMiniType>(make: Schema<S>): Schema<S> {
  let made: S | undefined
  return (z) => {
    made ??= make(z)
    return made
  }
}

type Shape = Record<string, z.ZodMiniType>

/** One with exactly these fields: any other is refused. */
export const object = /* @__NO_SIDE_EFFECTS__ */ <const S extends Shape>(make: (z: Zod) => S) =>
  schema((z) => z.strictObject(make(z)))

export type InferInput<S extends Schema> = z.input<ReturnType<S>>
export type InferOutput<S extends Schema> = z.output<ReturnType<S>>

/** Here, apart from the other fields, because every call may need it. */
export const id = schema((z) => z.uuid('This is not a valid id'))
