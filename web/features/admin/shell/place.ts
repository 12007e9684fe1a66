import { useEffect, useLayoutEffect } from 'react'
import { brand } from '#contract/brand.ts'
import { type Href, useNavigation } from '#web/ui/navigation.tsx'
import { createStore, useStore } from '#web/ui/store.ts'

const record = createStore<string | null>(null)

export function useTitle(title: string) {
  const shownTitle = useStore(record) || title
  useEffect(() => {
    document.title = `${shownTitle} | Admin | ${brand.name}`
  }, [shownTitle])
  return shownTitle
}

/** Name of the open record, for the title of the page. */
export function useRecordTitle(name: string | undefined) {
  useLayoutEffect(() => {
    record.set(name ?? null)
    return () => record.set(null)
  }, [name])
}

let list: Href | undefined

/** Address of the last list with its filters, for the breadcrumb. */
export const lastList = (otherwise: Href) => list ?? otherwise

export function useRememberedList(isList: boolean) {
  const { pathname, search } = useNavigation()
  useEffect(() => {
    if (isList) list = `${pathname}${search}` as Href
  }, [isList, pathname, search])
}
