import { useFilters } from '../lists/use-filters.ts'

const actionFilter = { do: ['refund', 'cancel', 'write'] } as const
export type CustomerAction = (typeof actionFilter.do)[number]

/** The action in the query string (`?do=refund`), whose dialog is open. The search links to such addresses. */
export function useLinkedAction() {
  const [{ do: action }, setFilters] = useFilters(actionFilter)
  const setAction = (newAction: CustomerAction | undefined) => setFilters({ do: newAction })
  return [action, setAction] as const
}
