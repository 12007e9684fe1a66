import { Search } from 'lucide-react'
import { Suspense, useEffect, useState, useSyncExternalStore } from 'react'
import { useCan } from '#web/api/session.ts'
import { NotFound } from '#web/features/not-found/not-found.tsx'
import { Button } from '#web/ui/button.tsx'
import { EmptyState, Skeleton } from '#web/ui/card.tsx'
import { Link, useNavigation } from '#web/ui/navigation.tsx'
import { TabList } from '#web/ui/tabs.tsx'
import { type Area, areasFor, pathOfHash, screenAt } from './screens.ts'
import SearchDialog from './search/search-dialog.tsx'
import KeysDialog from './shell/keys-dialog.tsx'
import { useRememberedList, useTitle } from './shell/place.ts'
import { AreaTabs, panelId, SideNavigation } from './shell/side-navigation.tsx'
import { useKeys } from './shell/use-keys.ts'

export default function AdminPage() {
  const pathname = usePathname()
  const areas = areasFor(useCan())
  const found = screenAt(pathname, areas)
  const [opened, setOpened] = useState<'keys' | 'search' | null>(null)
  const { navigate } = useNavigation()
  const title = useTitle(found?.route.title ?? 'Not found')
  useKeys({
    search: () => setOpened('search'),
    help: () => setOpened('keys'),
    go(letter) {
      const area = areas.find((each) => each.letter === letter)
      if (area) navigate(area.path)
    },
  })
  const isList = found !== undefined && !found.params.id
  useRememberedList(isList)
  if (!found)
    return screenAt(
      pathname,
      areasFor(() => true),
    ) ? (
      <EmptyState title="Your role can’t open this" description="Ask an admin to do it for you, or for another role." />
    ) : (
      <NotFound />
    )

  const { area, path, show: Screen } = found.route
  return (
    <div className="mx-auto flex w-full max-w-[90rem] items-start gap-6 px-5 pt-6 sm:px-8 lg:px-6 lg:pt-8">
      <SideNavigation areas={areas} here={area} onSearch={() => setOpened('search')} />
      <div className="flex min-w-0 flex-1 flex-col gap-6">
        <header className="flex flex-wrap items-center gap-x-6 gap-y-3">
          <h1 tabIndex={-1} className="min-w-0 text-2xl wrap-anywhere max-lg:flex-1">
            {title}
          </h1>
          <Button
            variant="secondary"
            size="icon"
            aria-label="Search everywhere"
            className="lg:hidden"
            onClick={() => setOpened('search')}
          >
            <Search className="size-4.5" />
          </Button>
          {isList && area.isTab && (
            <TabList aria-label="Admin" className="max-sm:w-full lg:hidden">
              <AreaTabs
                areas={areas}
                here={area}
                className="flex h-9 flex-1 items-center justify-center rounded-sm px-4 text-sm font-medium text-muted transition-colors hover:text-ink aria-selected:bg-raised aria-selected:text-ink aria-selected:shadow-card"
              />
            </TabList>
          )}
          {isList && area.listed.length > 1 && <SubNavigation area={area} here={path} />}
        </header>
        <div {...(area.isTab ? { role: 'tabpanel', id: panelId, 'aria-label': area.title } : {})}>
          <Suspense fallback={<Skeleton className="h-96 rounded-lg" />}>
            <Screen key={found.params.id ?? path} id={found.params.id ?? ''} />
          </Suspense>
        </div>
      </div>
      {opened === 'keys' && <KeysDialog areas={areas} onClose={() => setOpened(null)} />}
      {opened === 'search' && <SearchDialog areas={areas} onClose={() => setOpened(null)} />}
    </div>
  )
}

function onHashChange(tell: () => void) {
  addEventListener('hashchange', tell)
  return () => removeEventListener('hashchange', tell)
}

/** Where we are; `/admin#users` is `/admin/users`, also when it is typed on the open page. */
function usePathname() {
  const { pathname, navigate } = useNavigation()
  // Read again each time the place changes, so what a navigation took off the address is gone here, too.
  const hash = useSyncExternalStore(onHashChange, () => location.hash)
  const named = pathOfHash(hash)
  useEffect(() => {
    if (named) navigate(location.search ? `${named}?${location.search.slice(1)}` : named, { replace: true })
  }, [named, navigate])
  return named || pathname
}

function SubNavigation({ area, here }: { area: Area; here: string }) {
  return (
    <nav aria-label={area.title} className="flex flex-wrap gap-x-5 gap-y-1 text-sm max-lg:w-full">
      {area.listed.map(({ path, title, tab = title }) => (
        <Link
          key={path}
          href={path}
          aria-current={path === here ? 'page' : undefined}
          className="py-2 font-medium text-muted underline-offset-4 hover:text-ink aria-[current]:text-ink aria-[current]:underline aria-[current]:decoration-accent aria-[current]:decoration-2"
        >
          {tab}
        </Link>
      ))}
    </nav>
  )
}
