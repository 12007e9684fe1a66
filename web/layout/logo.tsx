import { brand } from '#contract/brand.ts'

/** A price that falls below its band and comes back. */
export function Mark({ className }: { className?: string }) {
  return (
    <svg viewBox="0 0 32 32" aria-hidden="true" className={className}>
      <rect width="32" height="32" rx="9" className="fill-accent" />
      <path
        d="M6.5 11.5 11 13l4 9.5 4.5-12 6 1"
        fill="none"
        className="stroke-on-accent"
        strokeWidth="2.6"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
      <circle cx="15" cy="22.5" r="2.6" className="fill-on-accent" />
    </svg>
  )
}

export function Logo() {
  return (
    <span className="flex items-center gap-2.5 text-[1.0625rem] font-semibold tracking-tight">
      <Mark className="size-7" />
      {brand.name}
    </span>
  )
}
