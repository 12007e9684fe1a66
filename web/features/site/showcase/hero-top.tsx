import type { ReactNode } from 'react'
import { Container, Eyebrow } from '#web/ui/page.tsx'

export function HeroTop(props: {
  eyebrow: string
  title: string
  lead: string
  reviews: ReactNode
  id?: string
  children: ReactNode
}) {
  const { eyebrow, title, lead, reviews, id, children } = props
  return (
    <Container className="flex flex-col gap-5 pt-9 pb-5">
      <Eyebrow>{eyebrow}</Eyebrow>
      <h1 className="text-4xl">{title}</h1>
      <div className="grid gap-x-16 gap-y-5 lg:grid-cols-[minmax(0,1fr)_auto] lg:items-end">
        <div className="flex flex-col items-start gap-2">
          <p className="max-w-2xl text-lg">{lead}</p>
          {reviews}
        </div>
        <div id={id} className="flex flex-wrap gap-3 max-sm:w-full">
          {children}
        </div>
      </div>
    </Container>
  )
}
