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

export function Eyebrow({ children }: { children: ReactNode }) {
  return <p className="text-sm text-muted">{children}</p>
}

/** Draws a ruler in the left margin, which needs a `Tick` at each section. */
export const Ruled = ({ children }: { children: ReactNode }) => <div className="ruled">{children}</div>

/** Mark on the ruler at the top of a section; `isFirst` keeps it clear of the header. */
export function Tick({ label, isFirst = false }: { label: string; isFirst?: boolean }) {
  return (
    <span aria-hidden="true" className={isFirst ? 'tick top-12' : 'tick top-0'}>
      <span>{label}</span>
    </span>
  )
}
