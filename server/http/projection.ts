import * as z from 'zod/mini'

/** Strips other fields, so modules may return whole rows and leak no password hash. */
export function projectionOf(output: z.core.$ZodType): z.core.$ZodType {
  if (output instanceof z.ZodMiniObject)
    return z.object(
      Object.fromEntries(Object.entries(output.shape).map(([name, field]) => [name, projectionOf(field)])),
    )
  if (output instanceof z.ZodMiniArray) return z.array(projectionOf(output.def.element))
  if (output instanceof z.ZodMiniNullable) return z.nullable(projectionOf(output.def.innerType))
  if (output instanceof z.ZodMiniOptional) return z.optional(projectionOf(output.def.innerType))
  if (output instanceof z.ZodMiniRecord) return z.record(output.def.keyType, projectionOf(output.def.valueType))
  return output
}
