import type { ComponentProps, ReactNode } from 'react'
import { classes } from './classes.ts'
import { Link } from './navigation.tsx'
import { Spinner } from './spinner.tsx'

const variants = {
  primary: 'bg-accent text-on-accent hover:bg-accent-strong shadow-card',
  secondary: 'border border-field/60 bg-surface text-ink hover:border-ink',
  ghost: 'text-ink hover:bg-line/60',
  dangerGhost: 'text-danger hover:bg-danger-soft',
  danger: 'bg-danger text-on-danger hover:opacity-90',
} as const

const sizes = {
  sm: 'h-9 gap-1.5 px-3 text-sm',
  md: 'h-11 gap-2 px-5 text-base',
  lg: 'h-13 gap-2 px-5 text-base sm:px-7',
  icon: 'size-10',
} as const

type ButtonStyle = { variant?: keyof typeof variants | undefined; size?: keyof typeof sizes | undefined }

function classesOf({ variant = 'primary', size = 'md' }: ButtonStyle, className?: string) {
  return classes(
    'inline-flex shrink-0 cursor-pointer items-center justify-center rounded-md font-medium whitespace-nowrap transition-[background-color,border-color,opacity,translate] duration-150 active:translate-y-px disabled:pointer-events-none disabled:border-transparent disabled:bg-line disabled:text-muted aria-disabled:pointer-events-none aria-disabled:opacity-70',
    variants[variant],
    sizes[size],
    className,
  )
}

type ButtonProps = ComponentProps<'button'> & ButtonStyle & { pending?: boolean; pendingText?: ReactNode }

export function Button({ variant, size, pending, pendingText, className, onClick, children, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      className={classesOf({ variant, size }, className)}
      // `aria-disabled`, because a disabled button loses the focus.
      aria-disabled={pending || undefined}
      aria-busy={pending || undefined}
      onClick={pending ? (event) => event.preventDefault() : onClick}
      {...rest}
    >
      {pending && <Spinner className="size-4" />}
      {pending && pendingText ? pendingText : children}
    </button>
  )
}

export function TextButton({ className, ...rest }: ComponentProps<'button'>) {
  return (
    <button
      type="button"
      className={classes(
        // The padding makes it 24 px high for fingers; the negative margin keeps the line height.
        '-my-0.5 cursor-pointer py-0.5 font-medium text-ink underline decoration-field underline-offset-2 hover:decoration-ink',
        className,
      )}
      {...rest}
    />
  )
}

export function ButtonLink({ variant, size, className, ...rest }: ComponentProps<typeof Link> & ButtonStyle) {
  // Leave same-page anchors to the browser.
  const Element = rest.href.startsWith('#') ? 'a' : Link
  return <Element className={classesOf({ variant, size }, className)} {...rest} />
}

export function OutsideButton({ variant, size, className, children, ...rest }: ComponentProps<'a'> & ButtonStyle) {
  return (
    <a target="_blank" rel="noreferrer" className={classesOf({ variant, size }, className)} {...rest}>
      {children}
    </a>
  )
}
