import { useEffect, useLayoutEffect } from 'react'
import { brand } from '#contract/brand.ts'
import { type Href, useNavigation } from '#web/ui/navigation.tsx'
import { createStore, useStore } from '#web/ui/store.ts'

const record = createStore<string | null>(null)

export function useTitle(title: string) {
  const shown = useStore(record) || title
  useEffect(() => {
    document.title = `${shown} | Admin | ${brand.name}`
  }, [shown])
  return shown
}

/** What a record is called, once that is known: two open ones can be told apart. */
export function useRecordTitle(name: string | undefined) {
  useLayoutEffect(() => {
    record.set(name ?? null)
    return () => record.set(null)
  }, [name])
}

let list: Href | undefined

/** The list someone came from, with its search and filters: where “Back” leads. */
export const lastList = (otherwise: Href) => list ?? otherwise

export function useRememberedList(isList: boolean) {
  const { pathname, search } = useNavigation()
  useEffect(() => {
    if (isList) list = `${pathname}${search}` as Href
  }, [isList, pathname, search])
}
