import { type Href, useNavigation } from '#web/ui/navigation.tsx'

/** Filters by name: any text, or one of these values. */
export type FilterChoices = Record<string, 'text' | readonly string[]>
type FilterValues<C extends FilterChoices> = {
  [Name in keyof C]?: (C[Name] extends readonly (infer Choice)[] ? Choice : string) | undefined
}

/** Filters in the query string, so that a reload, a link and Back show the same list. Ignores unknown values. */
export function useFilters<const C extends FilterChoices>(choices: C) {
  const { search, pathname, navigate } = useNavigation()
  function setFilters(changes: FilterValues<C>) {
    // A debounced search may call this after the visitor has left the page.
    if (location.pathname !== pathname) return
    const newQuery = new URLSearchParams(location.search)
    for (const [name, value] of Object.entries(changes)) {
      if (value) newQuery.set(name, String(value))
      else newQuery.delete(name)
    }
    navigate((newQuery.size > 0 ? `${pathname}?${newQuery}` : pathname) as Href, { replace: true })
  }
  const query = new URLSearchParams(search)
  const filters: Record<string, string> = {}
  for (const [name, allowed] of Object.entries(choices)) {
    const value = query.get(name)
    if (value && (allowed === 'text' || allowed.includes(value))) filters[name] = value
  }
  return [filters as FilterValues<C>, setFilters] as const
}

const dialogFilters = { open: ['add', 'import'] } as const

export function useDialog(name: (typeof dialogFilters.open)[number]) {
  const [{ open }, setFilters] = useFilters(dialogFilters)
  const setIsOpen = (isOpen: boolean) => setFilters({ open: isOpen ? name : undefined })
  return [open === name, setIsOpen] as const
}
