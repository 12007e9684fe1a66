import type { ComponentProps } from 'react'
import { classes } from './classes.ts'

const tones = {
  neutral: 'bg-line text-ink',
  good: 'bg-accent-soft text-accent-strong',
  warning: 'bg-warning-soft text-warning',
  bad: 'bg-danger-soft text-danger',
} as const

export function Badge({
  tone = 'neutral',
  className,
  ...rest
}: ComponentProps<'span'> & { tone?: keyof typeof tones }) {
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
