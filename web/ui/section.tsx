import type { ReactNode } from 'react'
import { classes } from './classes.ts'
import { Container, Tick } from './page.tsx'

/** Page section under a hairline. `tick` is the label of its mark on the ruler in the left margin. */
export function Section(props: {
  id?: string
  tick?: string
  eyebrow?: string
  title: ReactNode
  lead?: ReactNode
  className?: string
  /** Puts heading and lead in their own column. */
  isSplit?: boolean
  children: ReactNode
}) {
  const { id, tick, eyebrow, title, lead, className, isSplit = false, children } = props
  return (
    <section id={id} className={classes('relative border-t border-line py-14 sm:py-20', className)}>
      {tick && <Tick label={tick} />}
      <Container
        className={isSplit ? 'grid gap-x-16 gap-y-10 lg:grid-cols-[1fr_2fr]' : 'flex flex-col gap-10 sm:gap-12'}
      >
        <header
          className={classes(
            'flex flex-col gap-4',
            isSplit ? 'items-start lg:sticky lg:top-28 lg:self-start' : 'max-w-3xl',
          )}
        >
          {eyebrow && <p className="text-sm text-muted">{eyebrow}</p>}
          <h2 className="text-3xl">{title}</h2>
          {lead && <div className="max-w-2xl text-lg text-muted">{lead}</div>}
        </header>
        {children}
      </Container>
    </section>
  )
}
