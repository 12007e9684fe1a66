import { type ReactNode, useState } from 'react'
import { useTookOver } from './took-over.ts'

const nothing = { __html: '' }

/**
 * A part of a page with nothing to operate but links. Where the server has written it, it stays as it is: React does
 * not look into it, which would be most of a page's work at load. Whoever comes from another page gets it rendered.
 */
export function AsWritten({ children }: { children: () => ReactNode }) {
  const tookOver = useTookOver()
  const [isWritten] = useState(!tookOver && !import.meta.env.SSR)
  if (!isWritten) return <div className="contents">{children()}</div>
  return <div className="contents" suppressHydrationWarning dangerouslySetInnerHTML={nothing} />
}
