import { brand } from '#contract/brand.ts'
import { logoDrawing } from './mark.ts'

export function Logo() {
  return (
    <span className="flex items-center gap-2.5 text-[1.0625rem] font-semibold tracking-tight">
      <svg viewBox="0 0 32 32" aria-hidden="true" className="size-7 text-on-accent">
        <rect width="32" height="32" rx="9" className="fill-accent" />
        {/* `content/logo.svg`, inlined when the shop is built. */}
        <g dangerouslySetInnerHTML={{ __html: logoDrawing }} />
      </svg>
      {brand.name}
    </span>
  )
}
