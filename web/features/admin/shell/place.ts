import { useEffect, useLayoutEffect } from 'react'
import { brand } from '#contract/brand.ts'
import { type Href, useNavigation } from '#web/ui/navigation.tsx'
import { createStore, useStore } from '#web/ui/store.ts'

const recordTitle = createStore<string | null>(null)

/** The name of an open record replaces the screen's title. */
export function useTitle(title: string) {
  const shownTitle = useStore(recordTitle) || title
  useEffect(() => {
    document.title = `${shownTitle} | Admin | ${brand.name}`
  }, [shownTitle])
  return shownTitle
}

export function useRecordTitle(name: string | undefined) {
  useLayoutEffect(() => {
    recordTitle.set(name ?? null)
    return () => recordTitle.set(null)
  }, [name])
}

let lastListHref: Href | undefined

/** Address of the list that was open last, with its filters. */
export const hrefOfLastList = (fallback: Href) => lastListHref ?? fallback

export function useRememberedList(isList: boolean) {
  const { pathname, search } = useNavigation()
  useEffect(() => {
    if (isList) lastListHref = `${pathname}${search}` as Href
  }, [isList, pathname, search])
}
