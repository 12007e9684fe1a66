import type { ComponentProps } from 'react'
import { classes } from './classes.ts'

const tones = {
  good: 'bg-accent-soft text-accent-strong',
  warning: 'bg-warning-soft text-warning',
  bad: 'bg-danger-soft text-danger',
}

/** Something to read that stays, unlike a toast; a bad one is announced immediately. */
export function Notice({
  tone = 'good',
  className,
  ...rest
}: ComponentProps<'div'> & { tone?: keyof typeof tones }) {
  return (
    <div
      role={tone === 'bad' ? 'alert' : 'status'}
      className={classes('rounded-md px-4 py-3 text-sm', tones[tone], className)}
      {...rest}
    />
  )
}
