import { brand } from '#contract/brand.ts'

/** A sigma with a dot inside: the moment that counts. Same drawing as `public/favicon.svg`. */
function Mark() {
  return (
    <svg viewBox="0 0 32 32" aria-hidden="true" className="size-7">
      <rect width="32" height="32" rx="9" className="fill-accent" />
      <path
        d="M24.5 9.6H14.3a6.6 6.6 0 1 0 6.6 6.6c0-2.8-1.7-5.2-4.2-6.2"
        fill="none"
        className="stroke-on-accent"
        strokeWidth="2.8"
        strokeLinecap="round"
      />
      <circle cx="14.3" cy="16.2" r="2.2" className="fill-on-accent" />
    </svg>
  )
}

export function Logo() {
  return (
    <span className="flex items-center gap-2.5 text-[1.0625rem] font-semibold tracking-tight">
      <Mark />
      {brand.name}
    </span>
  )
}
