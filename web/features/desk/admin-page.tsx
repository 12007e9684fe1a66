import { Search } from 'lucide-react'
import { lazy, Suspense, useEffect, useState, useSyncExternalStore } from 'react'
import { useIsAdmin } from '#web/api/session.ts'
import NotFoundPage from '#web/features/not-found/not-found-page.tsx'
import { Button } from '#web/ui/button.tsx'
import { Skeleton } from '#web/ui/card.tsx'
import { Link, useNavigation } from '#web/ui/navigation.tsx'
import { Loading } from '#web/ui/spinner.tsx'
import { type Area, addressOf, addressOfHash, areasFor, isTab, listedViews, placeAt } from './shell/areas.ts'
import { rememberList } from './shell/last-list.ts'
import { SideNavigation } from './shell/side-navigation.tsx'
import { panelId, TabStrip, tabId } from './shell/tab-strip.tsx'
import { useArrival } from './shell/use-arrival.ts'
import { useKeys } from './shell/use-keys.ts'

const KeysDialog = lazy(() => import('./shell/keys-dialog.tsx'))
const SearchDialog = lazy(() => import('./search/search-dialog.tsx'))

export default function AdminPage() {
  const pathname = usePathname()
  const shown = areasFor({ isAdmin: useIsAdmin() })
  const place = placeAt(pathname, shown)
  const [opened, setOpened] = useState<'keys' | 'search' | null>(null)
  const { navigate, search } = useNavigation()
  useArrival(place?.view.name ?? 'Not found')
  useKeys({
    search: () => setOpened('search'),
    help: () => setOpened('keys'),
    go(letter) {
      const area = shown.find(({ key }) => key === letter)
      if (area) navigate(addressOf(area))
    },
  })
  const isRecord = place?.id !== ''
  useEffect(() => {
    if (!isRecord) rememberList(pathname, search)
  }, [isRecord, pathname, search])
  // The overview is for admins; support begins with the first area of theirs.
  const [first] = shown
  const beginsElsewhere = !place && placeAt(pathname)?.area.name === 'Overview'
  useEffect(() => {
    if (beginsElsewhere && first) navigate(addressOf(first), { replace: true })
  }, [beginsElsewhere, first, navigate])
  if (beginsElsewhere) return <Loading />
  if (!place) return <NotFoundPage />

  const { area, view, id } = place
  const { screen: Screen } = view
  const isInTab = isTab(area) && view === area.views[0]
  return (
    <div className="mx-auto flex w-full max-w-[90rem] items-start gap-6 px-5 pt-6 sm:px-8 lg:px-6 lg:pt-8">
      <SideNavigation areas={shown} here={area} onSearch={() => setOpened('search')} />
      <div className="flex min-w-0 flex-1 flex-col gap-6">
        <header className="flex flex-wrap items-center gap-x-6 gap-y-3">
          <h1 tabIndex={-1} className="text-2xl max-lg:mr-auto">
            {view.name}
          </h1>
          <Button
            variant="secondary"
            size="icon"
            aria-label="Search everywhere"
            className="lg:hidden"
            onClick={() => setOpened('search')}
          >
            <Search className="size-4.5" aria-hidden="true" />
          </Button>
          {!isRecord && (isTab(area) || area.name === 'Overview') && (
            <TabStrip areas={shown} here={isInTab ? area : undefined} />
          )}
          {!isRecord && <SubNavigation area={area} here={view.name} />}
        </header>
        <div {...(isInTab ? { role: 'tabpanel', id: panelId, 'aria-labelledby': tabId(area) } : {})}>
          <Suspense fallback={<Skeleton className="h-96 rounded-lg" />}>
            <Screen key={view.path + id} id={id} />
          </Suspense>
        </div>
      </div>
      <Suspense fallback={null}>
        {opened === 'keys' && <KeysDialog areas={shown} onClose={() => setOpened(null)} />}
        {opened === 'search' && <SearchDialog areas={shown} onClose={() => setOpened(null)} />}
      </Suspense>
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
  // Read anew each time the place changes, so what a navigation took off the address is gone here, too.
  const hash = useSyncExternalStore(onHashChange, () => location.hash)
  const named = addressOfHash(hash)
  useEffect(() => {
    if (named) navigate(named + location.search, { replace: true })
  }, [named, navigate])
  return named ?? pathname
}

/** The screens that stand beside an area's first. */
function SubNavigation({ area, here }: { area: Area; here: string }) {
  const views = listedViews(area)
  if (views.length < 2) return null
  return (
    <nav aria-label={area.name} className="flex flex-wrap gap-x-5 gap-y-1 text-sm max-lg:w-full">
      {views.map(({ name, path }) => (
        <Link
          key={name}
          href={path}
          aria-current={name === here ? 'page' : undefined}
          className="py-2 font-medium text-muted underline-offset-4 hover:text-ink aria-[current]:text-ink aria-[current]:underline aria-[current]:decoration-accent aria-[current]:decoration-2"
        >
          {name}
        </Link>
      ))}
    </nav>
  )
}
