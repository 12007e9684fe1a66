import type { ReactNode } from 'react'
import { seats } from '#contract/selling/seats.ts'
import { useData } from '#web/api/use-data.ts'
import { WaitingList } from './waiting-list.tsx'

/** What to show instead of the offers when no seat is free, and above them how many are taken. */
export default function LimitedSeats({ children }: { children: ReactNode }) {
  const { data } = useData(seats.show, {})
  if (data?.isSoldOut) return <WaitingList />
  return (
    // One element: the page's grid has one place for it.
    <div>
      {data?.shown && (
        <p className="mb-6 text-center text-muted">
          {data.shown.taken} of {data.shown.limit} seats
        </p>
      )}
      {children}
    </div>
  )
}
