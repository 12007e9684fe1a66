import { useCallback, useEffect, useRef } from 'react'
import { confirm } from './confirm.tsx'
import { useNavigation } from './navigation.tsx'

/** Asks before leaving a page, or closing its tab, while something is typed and not saved. */
export function useUnsaved() {
  const { askBeforeLeaving } = useNavigation()
  const unsaved = useRef(false)
  useEffect(() => {
    const warn = (event: Event) => unsaved.current && event.preventDefault()
    addEventListener('beforeunload', warn)
    const undo = askBeforeLeaving(
      async () =>
        !unsaved.current ||
        confirm({
          title: 'Leave without saving',
          description: 'What you typed since you last saved will be lost.',
          action: 'Leave',
          destructive: true,
        }),
    )
    return () => {
      undo()
      removeEventListener('beforeunload', warn)
    }
  }, [askBeforeLeaving])
  const isUnsaved = useCallback(() => unsaved.current, [])
  const setUnsaved = useCallback((is: boolean) => {
    unsaved.current = is
  }, [])
  return { isUnsaved, setUnsaved }
}
export type Unsaved = ReturnType<typeof useUnsaved>
