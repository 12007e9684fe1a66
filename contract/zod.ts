/**
 * The part of zod our schemas use, to pass in when validating: `z.safeParse(row.input(z), body)`.
 * Listed one by one, because passing the whole namespace would pull all of zod into the browser.
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
