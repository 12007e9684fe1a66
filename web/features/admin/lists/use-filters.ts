import { type Href, useNavigation } from '#web/ui/navigation.tsx'

export type Choices = Record<string, 'text' | readonly string[]>
type Chosen<C extends Choices> = {
  [Name in keyof C]?: (C[Name] extends readonly (infer Choice)[] ? Choice : string) | undefined
}

/** Filters in the query string, so that a reload, a link and Back show the same list. Ignores unknown values. */
export function useFilters<const C extends Choices>(choices: C) {
  const { search, pathname, navigate } = useNavigation()
  function choose(change: Chosen<C>) {
    // A late debounce must not navigate back from another page.
    if (location.pathname !== pathname) return
    const query = new URLSearchParams(location.search)
    for (const [name, value] of Object.entries(change)) {
      if (value) query.set(name, String(value))
      else query.delete(name)
    }
    navigate((query.size > 0 ? `${pathname}?${query}` : pathname) as Href, { replace: true })
  }
  const query = new URLSearchParams(search)
  const known = Object.entries(choices).flatMap(([name, allowed]) => {
    const value = query.get(name)
    return value && (allowed === 'text' || allowed.includes(value)) ? [[name, value] as const] : []
  })
  return [Object.fromEntries(known) as Chosen<C>, choose] as const
}

const dialogs = { open: ['add', 'import'] } as const

/** A screen's dialog that a link can open, as the search does. */
export function useDialog(name: (typeof dialogs.open)[number]) {
  const [{ open }, choose] = useFilters(dialogs)
  return [open === name, (isOpen: boolean) => choose({ open: isOpen ? name : undefined })] as const
}
