import { Ellipsis, Search } from 'lucide-react'
import { Fragment, useState } from 'react'
import { classes } from '#web/ui/classes.ts'
import { Link } from '#web/ui/navigation.tsx'
import { moveFocusByKey } from '#web/ui/tabs.tsx'
import { formatCapped, useNeeds } from '../inbox/use-needs.ts'
import type { ScreenGroup } from '../screens.ts'

type Props = { groups: ScreenGroup[]; currentGroup: ScreenGroup; onSearch: () => void }

export function SideNavigation({ groups, currentGroup, onSearch }: Props) {
  const [isOpen, setIsOpen] = useState(false)
  const close = () => setIsOpen(false)
  // Support staff see at most five groups, which all fit into the bar of a phone.
  const hasMoreButton = groups.length > 5
  const isInBar = (group: ScreenGroup) => !hasMoreButton || group.isMainTab || group.isInBar
  const isCurrentBehindMore = !isInBar(currentGroup)
  const groupsBehindMore = groups.filter((group) => !isInBar(group))
  const pathsBehindMore = groupsBehindMore.flatMap(({ listed }) => listed.map(({ path }) => path))
  const { countAt } = useNeeds()
  const firstTab = groups.find(({ isMainTab }) => isMainTab)
  return (
    <nav
      aria-label="Admin"
      className="admin-bar z-30 max-lg:fixed max-lg:inset-x-0 max-lg:bottom-0 max-lg:border-t max-lg:border-line max-lg:bg-surface max-lg:pb-[env(safe-area-inset-bottom)] lg:sticky lg:top-22 lg:w-44 lg:shrink-0"
    >
      <button
        type="button"
        onClick={onSearch}
        aria-keyshortcuts="/"
        className="mb-4 flex h-10 w-full cursor-pointer items-center gap-2.5 rounded-md border border-field bg-surface px-3 text-sm text-muted hover:border-muted max-lg:hidden"
      >
        <Search className="size-4" />
        <span className="flex-1 text-left">Search</span>
        <kbd aria-hidden="true" className="font-mono text-xs">
          /
        </kbd>
      </button>
      <ul
        id="admin-areas"
        className={classes(
          'max-lg:mx-auto max-lg:grid max-lg:max-w-xl lg:flex lg:flex-col lg:gap-0.5',
          hasMoreButton ? 'max-lg:grid-cols-5' : 'max-lg:grid-cols-4',
          isOpen ? 'is-open' : 'max-lg:[&>.more]:hidden',
        )}
      >
        {groups.map((group) => (
          <Fragment key={group.path}>
            {group === firstTab && (
              <li className="max-lg:contents lg:mt-3 lg:mb-3 lg:border-y lg:border-line lg:py-3">
                <div
                  role="tablist"
                  aria-label="Shop data"
                  aria-orientation="vertical"
                  tabIndex={-1}
                  onKeyDown={moveFocusByKey}
                  className="max-lg:contents lg:flex lg:flex-col lg:gap-0.5"
                >
                  <GroupTabs groups={groups} currentGroup={currentGroup} onChoose={close} />
                </div>
              </li>
            )}
            {!group.isMainTab && (
              <li className={classes(!isInBar(group) && 'more max-lg:order-1')}>
                <Link
                  href={group.path}
                  onClick={close}
                  aria-current={group === currentGroup ? 'page' : undefined}
                  className={groupLinkClasses}
                >
                  <GroupName group={group} />
                </Link>
              </li>
            )}
          </Fragment>
        ))}
        <li className={hasMoreButton ? 'lg:hidden' : 'hidden'}>
          <button
            type="button"
            aria-expanded={isOpen}
            aria-controls="admin-areas"
            onClick={() => setIsOpen(!isOpen)}
            onKeyDown={(event) => event.key === 'Escape' && close()}
            className={classes(itemClasses, 'w-full cursor-pointer', isCurrentBehindMore && 'text-accent')}
          >
            <Ellipsis className="size-5" />
            More
            <OpenCount count={countAt(pathsBehindMore)} className={cornerClasses} />
          </button>
        </li>
      </ul>
    </nav>
  )
}

const itemClasses =
  'flex items-center font-medium text-muted transition-colors hover:text-ink max-lg:relative max-lg:min-h-14 max-lg:flex-col max-lg:justify-center max-lg:gap-1 max-lg:text-xs lg:min-h-10 lg:gap-3 lg:rounded-md lg:px-3 lg:text-sm'

const groupLinkClasses = classes(
  itemClasses,
  'aria-[current]:text-accent lg:hover:bg-accent-soft/60 lg:aria-[current]:bg-accent-soft lg:aria-[current]:text-accent-strong',
)

function GroupName({ group: { icon: Icon, title, path, listed } }: { group: ScreenGroup }) {
  const { count, countAt } = useNeeds()
  const openCount = path === '/admin/overview' ? count : countAt(listed.map((screen) => screen.path))
  return (
    <>
      <Icon className="size-5 lg:size-4.5" />
      {title}
      <OpenCount count={openCount} className={cornerClasses} />
    </>
  )
}

const cornerClasses = 'lg:ml-auto max-lg:absolute max-lg:top-1 max-lg:left-1/2 max-lg:ml-1.5'

/** Number of open items. CSS draws it, so that the link's text has no number in it. */
export function OpenCount({ count, className }: { count: number; className?: string }) {
  if (count === 0) return null
  return (
    <span
      data-count={formatCapped(count)}
      className={classes(
        'rounded-full bg-warning-soft px-1.5 text-xs leading-5 font-medium text-warning tabular-nums after:content-[attr(data-count)]',
        className,
      )}
    />
  )
}

export const panelId = 'admin-panel'

/** The three tabs of docs/product.md, as links, so that each can open in a new window. */
function GroupTabs(props: { groups: ScreenGroup[]; currentGroup: ScreenGroup; onChoose: () => void }) {
  const { groups, currentGroup, onChoose } = props
  const tabs = groups.filter(({ isMainTab }) => isMainTab)
  // The first tab is focusable while none is selected.
  const focusableTab = currentGroup.isMainTab ? currentGroup : tabs[0]
  return tabs.map((tab) => (
    <Link
      key={tab.path}
      role="tab"
      href={tab.path}
      onClick={onChoose}
      aria-selected={tab === currentGroup}
      aria-current={tab === currentGroup ? 'page' : undefined}
      aria-controls={tab === currentGroup ? panelId : undefined}
      tabIndex={tab === focusableTab ? 0 : -1}
      className={groupLinkClasses}
    >
      <GroupName group={tab} />
    </Link>
  ))
}
