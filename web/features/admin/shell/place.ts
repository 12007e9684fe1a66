import { useEffect, useLayoutEffect } from 'react'
import { brand } from '#contract/brand.ts'
import { type Href, useNavigation } from '#web/ui/navigation.tsx'
import { createStore, useStore } from '#web/ui/store.ts'

const recordTitle = createStore<string | null>(null)

/** Sets the title of the browser's window; the name of an open record replaces the screen's title. */
export function useTitle(title: string) {
  const shownTitle = useStore(recordTitle) || title
  useEffect(() => {
    document.title = `${shownTitle} | Admin | ${brand.name}`
  }, [shownTitle])
  return shownTitle
}

/** Shows the name of the open record in the window's title. */
export function useRecordTitle(name: string | undefined) {
  useLayoutEffect(() => {
    recordTitle.set(name ?? null)
    return () => recordTitle.set(null)
  }, [name])
}

let lastListHref: Href | undefined

/** Address of the last list with its filters, for the breadcrumb. */
export const lastList = (fallback: Href) => lastListHref ?? fallback

export function useRememberedList(isList: boolean) {
  const { pathname, search } = useNavigation()
  useEffect(() => {
    if (isList) lastListHref = `${pathname}${search}` as Href
  }, [isList, pathname, search])
}
