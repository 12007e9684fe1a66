import { useEffect, useState } from 'react'

/** Returns the text 150 ms after its last change, so that not every key sends a request. */
export function useDebounced(text: string) {
  const [debounced, setDebounced] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(text), 150)
    return () => clearTimeout(timer)
  }, [text])
  return debounced
}
