import { useEffect, useState } from 'react'
import { ApiError } from '#contract/call.ts'

/** The server's refusal, shown inline because the toast soon disappears. */
export function Refusal({ error }: { error: Error | null }) {
  if (!(error instanceof ApiError) || !error.serverMessage || Object.keys(error.fields).length > 0)
    return null
  return (
    <p role="alert" className="rounded-md bg-danger-soft px-4 py-3 text-sm font-medium text-danger">
      {error.serverMessage}
    </p>
  )
}

/** True while rate limited: retrying sooner won't help, except with a different email address. */
export function useMustWait(error: Error | null): boolean {
  const [over, setOver] = useState<Error | null>(null)
  const seconds = error instanceof ApiError ? error.retryAfterSeconds : undefined
  useEffect(() => {
    if (seconds === undefined) return undefined
    const timer = setTimeout(() => setOver(error), seconds * 1000)
    return () => clearTimeout(timer)
  }, [error, seconds])
  return seconds !== undefined && over !== error
}
