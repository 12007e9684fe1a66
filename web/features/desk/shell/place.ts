import { useEffect, useLayoutEffect } from 'react'
import { brand } from '#contract/brand.ts'
import { type Href, useNavigation } from '#web/ui/navigation.tsx'

function setTitle(name: string) {
  document.title = `${name} | Admin | ${brand.name}`
}

/** A screen's title. */
export function useTitle(title: string) {
  // In the layout phase, before a record's name.
  useLayoutEffect(() => setTitle(title), [title])
}

/** A record's own name as the title, so that two open ones can be told apart. */
export function useRecordTitle(name: string) {
  useEffect(() => setTitle(name), [name])
}

let list: Href = '/admin/users'

/** The list someone came from, with its search and filters: where “Back” leads. */
export const lastList = () => list

export function useRememberedList(isList: boolean) {
  const { pathname, search } = useNavigation()
  useEffect(() => {
    if (isList) list = `${pathname}${search}` as Href
  }, [isList, pathname, search])
}
