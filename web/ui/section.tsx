import type { ReactNode } from 'react'
import { classes } from './classes.ts'
import { Container, Eyebrow } from './page.tsx'

export function Section(props: {
  id?: string
  eyebrow?: string
  title: ReactNode
  lead?: ReactNode
  className?: string
  children: ReactNode
}) {
  const { id, eyebrow, title, lead, className, children } = props
  return (
    <section id={id} className={classes('py-16 sm:py-24', className)}>
      <Container className="flex flex-col gap-10 sm:gap-14">
        <header className="flex max-w-2xl flex-col gap-4">
          {eyebrow && <Eyebrow>{eyebrow}</Eyebrow>}
          <h2 className="text-3xl">{title}</h2>
          {lead && <p className="text-lg text-muted">{lead}</p>}
        </header>
        {children}
      </Container>
    </section>
  )
}
