import { createContext, use } from 'react'

type FieldControl = {
  id: string
  name: string
  'aria-invalid': boolean | undefined
  'aria-describedby': string | undefined
}

export const FieldContext = createContext<FieldControl | null>(null)

/** What an input inside a `Field` needs: id, name, and ARIA references to its hint and error. */
export function useField(): Partial<FieldControl> {
  return use(FieldContext) ?? {}
}
