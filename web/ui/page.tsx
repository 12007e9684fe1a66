import type { ComponentProps, ReactNode } from 'react'
import { classes } from './classes.ts'

export function Container({ className, ...rest }: ComponentProps<'div'>) {
  return <div className={classes('mx-auto w-full max-w-6xl px-5 sm:px-8', className)} {...rest} />
}

export function PageHeading(props: { title: string; description?: ReactNode; children?: ReactNode }) {
  return (
    <Container className="flex flex-col gap-4 pt-14 pb-10 sm:pt-20">
      <h1 className="text-3xl">{props.title}</h1>
      {props.description && <p className="max-w-2xl text-lg text-muted">{props.description}</p>}
      {props.children}
    </Container>
  )
}

/** The small line above a heading. */
export function Eyebrow({ children }: { children: ReactNode }) {
  return (
    <p className="flex items-center gap-2.5 font-mono text-xs font-medium tracking-wide text-accent uppercase">
      <span aria-hidden="true" className="h-px w-6 bg-accent" />
      {children}
    </p>
  )
}
