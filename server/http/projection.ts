import { z } from 'zod'

/** The same output without unknown keys: handlers return whole rows, and no password hash may leave the server. */
export function projectionOf(output: z.core.$ZodType): z.ZodType {
  if (output instanceof z.ZodObject)
    return z.object(
      Object.fromEntries(Object.entries(output.shape).map(([name, field]) => [name, projectionOf(field)])),
    )
  if (output instanceof z.ZodArray) return z.array(projectionOf(output.def.element))
  if (output instanceof z.ZodNullable) return projectionOf(output.def.innerType).nullable()
  if (output instanceof z.ZodOptional) return projectionOf(output.def.innerType).optional()
  if (output instanceof z.ZodRecord) return z.record(output.def.keyType, projectionOf(output.def.valueType))
  return output as z.ZodType
}
