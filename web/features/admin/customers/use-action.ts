import { useFilters } from '../lists/use-filters.ts'

const choices = { do: ['refund', 'cancel', 'write'] } as const
export type CustomerAction = (typeof choices.do)[number]

/** The dialog that the address asks for, as the search does. Nothing happens before its button is pressed. */
export function useAction() {
  const [{ do: action }, choose] = useFilters(choices)
  return [action, (next: CustomerAction | undefined) => choose({ do: next })] as const
}
