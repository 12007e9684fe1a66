import type { ComponentProps } from 'react'
import { classes } from './classes.ts'

/** Table that scrolls sideways on narrow screens; its frame is keyboard-focusable. */
export function Table({ label, className, ...rest }: ComponentProps<'table'> & { label: string }) {
  return (
    <section
      aria-label={label}
      tabIndex={0}
      className="relative overflow-x-auto rounded-lg border border-line bg-surface shadow-card"
    >
      <table className={classes('w-full border-collapse text-sm', className)} {...rest} />
    </section>
  )
}

export function HeadCell({ className, ...rest }: ComponentProps<'th'>) {
  return (
    <th
      scope="col"
      className={classes(
        'border-b border-line px-4 py-3 text-left text-xs font-medium whitespace-nowrap text-muted',
        className,
      )}
      {...rest}
    />
  )
}

/** The label replaces the column's header on phones, where each row is a card. */
export function Cell({ label, className, ...rest }: ComponentProps<'td'> & { label?: string }) {
  return (
    <td data-label={label} className={classes('border-b border-line px-4 py-3 align-middle', className)} {...rest} />
  )
}
