/**
 * The part of zod that schemas are written with, for whoever validates: `z.safeParse(row.input(z), body)`.
 * Named one by one, because a namespace that is handed over as a whole would bring all of zod into the browser.
 */

export type { input, output, ZodMiniType } from 'zod/mini'
export {
  _default,
  array,
  boolean,
  codec,
  coerce,
  date,
  email,
  enum,
  extend,
  int,
  iso,
  maximum,
  maxLength,
  minimum,
  minLength,
  NEVER,
  nullable,
  number,
  object,
  optional,
  parse,
  pick,
  pipe,
  record,
  refine,
  regex,
  safeParse,
  strictObject,
  string,
  toLowerCase,
  toUpperCase,
  transform,
  trim,
  unknown,
  uuid,
} from 'zod/mini'
