import { useCallback, useEffect, useRef } from 'react'
import { confirm } from './confirm.tsx'
import { useNavigation } from './navigation.tsx'

export function useUnsavedChanges() {
  const { askBeforeLeaving } = useNavigation()
  const hasUnsavedChanges = useRef(false)
  useEffect(() => {
    const warn = (event: Event) => hasUnsavedChanges.current && event.preventDefault()
    addEventListener('beforeunload', warn)
    async function mayLeave() {
      if (!hasUnsavedChanges.current) return true
      return confirm({
        title: 'Leave without saving',
        description: 'What you typed since you last saved will be lost.',
        action: 'Leave',
        destructive: true,
      })
    }
    const stopAsking = askBeforeLeaving(mayLeave)
    return () => {
      stopAsking()
      removeEventListener('beforeunload', warn)
    }
  }, [askBeforeLeaving])
  const isUnsaved = useCallback(() => hasUnsavedChanges.current, [])
  const setUnsaved = useCallback((isUnsavedNow: boolean) => {
    hasUnsavedChanges.current = isUnsavedNow
  }, [])
  return { isUnsaved, setUnsaved }
}
export type UnsavedChanges = ReturnType<typeof useUnsavedChanges>
