import { type ReactNode, useState, useSyncExternalStore } from 'react'

const nothing = { __html: '' }

/**
 * A part of a page with nothing to operate but links. Where the server has written it, it stays as it is: React does
 * not look into it, which would be most of a page's work at load. Whoever comes from another page gets it rendered.
 */
export function AsWritten({ children }: { children: () => ReactNode }) {
  const takesOver = useSyncExternalStore(
    () => () => {},
    () => false,
    () => !import.meta.env.SSR,
  )
  const [isWritten] = useState(takesOver)
  if (!isWritten) return <div className="contents">{children()}</div>
  return <div className="contents" suppressHydrationWarning dangerouslySetInnerHTML={nothing} />
}
