import { useFilters } from '../lists/use-filters.ts'

const choices = { do: ['refund', 'cancel', 'write'] } as const
export type CustomerAction = (typeof choices.do)[number]

/** Opens the dialog named by `?do=` in the address, as the search does. */
export function useAction() {
  const [{ do: action }, choose] = useFilters(choices)
  return [action, (next: CustomerAction | undefined) => choose({ do: next })] as const
}
