import type { ReactNode } from 'react'
import { classes } from './classes.ts'
import { Container } from './page.tsx'

/** A page section with its own heading. */
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

export function Eyebrow({ children }: { children: ReactNode }) {
  return (
    <p className="flex items-center gap-2.5 font-mono text-xs font-medium tracking-wide text-accent uppercase">
      <span aria-hidden="true" className="h-px w-6 bg-accent" />
      {children}
    </p>
  )
}
