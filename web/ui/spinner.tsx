import { classes } from './classes.ts'

export function Spinner({ className }: { className?: string }) {
  return (
    <svg viewBox="0 0 24 24" fill="none" aria-hidden="true" className={classes('size-5 animate-spin', className)}>
      <circle cx="12" cy="12" r="9" stroke="currentColor" strokeWidth="3" opacity="0.2" />
      <path d="M21 12a9 9 0 0 0-9-9" stroke="currentColor" strokeWidth="3" strokeLinecap="round" />
    </svg>
  )
}

/** Full-page loading state, as tall as the screen, so the footer does not flash before the page. */
export function Loading({ text = 'Loading...' }: { text?: string }) {
  return (
    <output className="flex min-h-[calc(100vh-4rem)] flex-col items-center justify-center gap-4 text-muted">
      <Spinner className="size-8 text-muted" />
      <p>{text}</p>
    </output>
  )
}
