import { Ellipsis, Search } from 'lucide-react'
import { useState } from 'react'
import { classes } from '#web/ui/classes.ts'
import { Link } from '#web/ui/navigation.tsx'
import type { Area } from '../screens.ts'

type Props = { areas: Area[]; here: string; onSearch: () => void }

/** At the side of a desk, at the bottom of a phone. */
export function SideNavigation({ areas, here, onSearch }: Props) {
  const [isOpen, setIsOpen] = useState(false)
  const close = () => setIsOpen(false)
  // Support has no more than fits.
  const hasMore = areas.length > 5
  const isInBar = (area: Area | undefined) => !hasMore || area?.isInBar
  const isBehindMore = !isInBar(areas.find(({ path }) => path === here))
  return (
    <nav
      aria-label="Admin"
      className="desk-bar z-30 max-lg:fixed max-lg:inset-x-0 max-lg:bottom-0 max-lg:border-t max-lg:border-line max-lg:bg-surface max-lg:pb-[env(safe-area-inset-bottom)] lg:sticky lg:top-22 lg:w-44 lg:shrink-0"
    >
      <button
        type="button"
        onClick={onSearch}
        aria-keyshortcuts="/"
        className="mb-4 flex h-10 w-full cursor-pointer items-center gap-2.5 rounded-md border border-field bg-surface px-3 text-sm text-muted hover:border-muted max-lg:hidden"
      >
        <Search className="size-4" aria-hidden="true" />
        <span className="flex-1 text-left">Search</span>
        <kbd aria-hidden="true" className="font-mono text-xs">
          /
        </kbd>
      </button>
      <ul
        id="admin-areas"
        className={classes(
          'max-lg:mx-auto max-lg:grid max-lg:max-w-xl lg:flex lg:flex-col lg:gap-0.5',
          hasMore ? 'max-lg:grid-cols-5' : 'max-lg:grid-cols-4',
          isOpen ? 'is-open' : 'max-lg:[&>.more]:hidden',
        )}
      >
        {areas.map((area) => (
          <li key={area.path} className={isInBar(area) ? undefined : 'more max-lg:order-1'}>
            <AreaLink area={area} isHere={area.path === here} onClick={close} />
          </li>
        ))}
        <li className={hasMore ? 'lg:hidden' : 'hidden'}>
          <button
            type="button"
            aria-expanded={isOpen}
            aria-controls="admin-areas"
            onClick={() => setIsOpen(!isOpen)}
            onKeyDown={(event) => event.key === 'Escape' && close()}
            className={classes(item, 'w-full cursor-pointer', isBehindMore && 'text-accent')}
          >
            <Ellipsis className="size-5" aria-hidden="true" />
            More
          </button>
        </li>
      </ul>
    </nav>
  )
}

const item =
  'flex items-center font-medium text-muted transition-colors hover:text-ink max-lg:min-h-14 max-lg:flex-col max-lg:justify-center max-lg:gap-1 max-lg:text-xs lg:min-h-10 lg:gap-3 lg:rounded-md lg:px-3 lg:text-sm'

function AreaLink({ area, isHere, onClick }: { area: Area; isHere: boolean; onClick: () => void }) {
  const { path, title, icon: Icon } = area
  return (
    <Link
      href={path}
      onClick={onClick}
      aria-current={isHere ? 'page' : undefined}
      className={classes(
        item,
        'aria-[current]:text-accent lg:hover:bg-accent-soft/60 lg:aria-[current]:bg-accent-soft lg:aria-[current]:text-accent-strong',
      )}
    >
      <Icon className="size-5 lg:size-4.5" aria-hidden="true" />
      {title}
    </Link>
  )
}
