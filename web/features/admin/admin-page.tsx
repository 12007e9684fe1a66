import { ChevronLeft, Search } from 'lucide-react'
import { Suspense, useEffect, useRef, useState } from 'react'
import { useCan } from '#web/api/session.ts'
import { NotFound } from '#web/features/not-found/not-found.tsx'
import { Button } from '#web/ui/button.tsx'
import { EmptyState, Skeleton } from '#web/ui/card.tsx'
import { Link, useNavigation } from '#web/ui/navigation.tsx'
import { useNeeds } from './inbox/use-needs.ts'
import { type ScreenGroup, screenAt, screenGroupsFor } from './screens.ts'
import SearchDialog from './search/search-dialog.tsx'
import { hrefOfLastList, useRememberedList, useTitle } from './shell/place.ts'
import ShortcutsDialog from './shell/shortcuts-dialog.tsx'
import { OpenCount, panelId, SideNavigation } from './shell/side-navigation.tsx'
import { useKeys } from './shell/use-keys.ts'

export default function AdminPage() {
  const { pathname, navigate } = useNavigation()
  const groups = screenGroupsFor(useCan())
  const match = screenAt(pathname, groups)
  const [openDialog, setOpenDialog] = useState<'keys' | 'search' | null>(null)
  const title = useTitle(match?.route.title ?? 'Not found')
  useKeys({
    search: () => setOpenDialog('search'),
    help: () => setOpenDialog('keys'),
    go(letter) {
      const group = groups.find((candidate) => candidate.letter === letter)
      if (group) navigate(group.path)
    },
  })
  const isList = match !== undefined && !match.params.id
  useRememberedList(isList)
  if (!match) {
    const allGroups = screenGroupsFor(() => true)
    if (!screenAt(pathname, allGroups)) return <NotFound />
    return (
      <EmptyState title="Your role can’t open this" description="Ask an admin to do it for you, or for another role." />
    )
  }

  const { group, path, component: Screen } = match.route
  const panelAttributes = group.isMainTab ? { role: 'tabpanel', id: panelId, 'aria-label': group.title } : {}
  return (
    <div className="mx-auto flex w-full max-w-[90rem] items-start gap-6 max-lg:flex-col max-lg:items-stretch px-5 pt-6 sm:px-8 lg:px-6 lg:pt-8">
      <SideNavigation groups={groups} currentGroup={group} onSearch={() => setOpenDialog('search')} />
      <div className="flex min-w-0 flex-1 flex-col gap-6">
        <header className="flex flex-col gap-2">
          {!isList && <Breadcrumb group={group} />}
          <div className="flex items-center gap-3">
            <h1 tabIndex={-1} className="min-w-0 flex-1 text-2xl wrap-anywhere">
              {title}
            </h1>
            <Button
              variant="secondary"
              size="icon"
              aria-label="Search everywhere"
              className="lg:hidden"
              onClick={() => setOpenDialog('search')}
            >
              <Search className="size-4.5" />
            </Button>
          </div>
          {isList && group.listed.length > 1 && <SubNavigation group={group} currentPath={path} />}
        </header>
        <div {...panelAttributes}>
          <Suspense fallback={<Skeleton className="h-96 rounded-lg" />}>
            <Screen key={match.params.id ?? path} id={match.params.id ?? ''} />
          </Suspense>
        </div>
      </div>
      {openDialog === 'keys' && <ShortcutsDialog groups={groups} onClose={() => setOpenDialog(null)} />}
      {openDialog === 'search' && <SearchDialog groups={groups} onClose={() => setOpenDialog(null)} />}
    </div>
  )
}

function Breadcrumb({ group }: { group: ScreenGroup }) {
  return (
    <nav aria-label="Breadcrumb" className="text-sm">
      <Link
        href={hrefOfLastList(group.path)}
        className="inline-flex items-center gap-1 font-medium text-muted hover:text-ink"
      >
        <ChevronLeft className="size-4" />
        {group.title}
      </Link>
    </nav>
  )
}

function SubNavigation({ group, currentPath }: { group: ScreenGroup; currentPath: string }) {
  const { countAt } = useNeeds()
  const tabs = group.listed.filter(
    ({ path, isHiddenWhenEmpty }) => !isHiddenWhenEmpty || path === currentPath || countAt([path]) > 0,
  )
  const tabRow = useRef<HTMLElement>(null)
  // On a phone, the current tab may be beyond the edge; only the row scrolls, not the page.
  useEffect(() => {
    const tab = tabRow.current?.querySelector<HTMLElement>(`[href="${currentPath}"]`)
    if (tabRow.current && tab) tabRow.current.scrollLeft = tab.offsetLeft - tabRow.current.offsetLeft - 24
  }, [currentPath])
  return (
    <nav ref={tabRow} aria-label={group.title} className="flex gap-x-6 overflow-x-auto border-b border-line text-sm">
      {tabs.map(({ path, title, tab = title }) => (
        <Link
          key={path}
          href={path}
          aria-current={path === currentPath ? 'page' : undefined}
          className="-mb-px flex min-h-11 items-center gap-2 border-b-2 border-transparent font-medium whitespace-nowrap text-muted -outline-offset-2 hover:text-ink aria-[current]:border-accent aria-[current]:text-ink"
        >
          {tab}
          <OpenCount count={path === '/admin/overview' ? 0 : countAt([path])} />
        </Link>
      ))}
    </nav>
  )
}
