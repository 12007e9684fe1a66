import type { ComponentProps } from 'react'
import { classes } from './classes.ts'

const tones = {
  neutral: 'bg-line text-ink',
  good: 'bg-accent-soft text-accent-strong',
  warning: 'bg-warning-soft text-warning',
  bad: 'bg-danger-soft text-danger',
}
type Tone = keyof typeof tones

export function Badge({ tone = 'neutral', className, ...rest }: ComponentProps<'span'> & { tone?: Tone }) {
  return (
    <span
      className={classes(
        'inline-flex items-center rounded-full px-2.5 py-0.5 text-xs font-medium whitespace-nowrap',
        tones[tone],
        className,
      )}
      {...rest}
    />
  )
}

/** Message that stays, unlike a toast; a bad one is announced immediately. */
export function Notice({ tone = 'good', className, ...rest }: ComponentProps<'div'> & { tone?: Tone }) {
  return (
    <div
      role={tone === 'bad' ? 'alert' : 'status'}
      className={classes('rounded-md px-4 py-3 text-sm', tones[tone], className)}
      {...rest}
    />
  )
}
