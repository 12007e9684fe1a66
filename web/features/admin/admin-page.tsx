import { lazy, type ReactNode, Suspense, useState } from 'react'
import { Skeleton } from '#web/ui/card.tsx'
import { Container, PageHeading } from '#web/ui/page.tsx'
import { Tab, TabList, TabPanel, Tabs } from '#web/ui/tabs.tsx'
import AssetsTab from './assets-tab.tsx'
import { ImprintWarning } from './imprint-warning.tsx'
import { Overview } from './overview.tsx'
import { PaymentsCard } from './payments-card.tsx'

const UsersTab = lazy(() => import('./users-tab.tsx'))
const PurchasesTab = lazy(() => import('./purchases-tab.tsx'))
const AccessTab = lazy(() => import('./access-tab.tsx'))
const DeclarationsTab = lazy(() => import('./declarations-tab.tsx'))
const ReviewsTab = lazy(() => import('./reviews-tab.tsx'))
const ActivityTab = lazy(() => import('./activity-tab.tsx'))

const tabs: Record<string, ReactNode> = {
  Assets: <AssetsTab />,
  Users: <UsersTab />,
  Purchases: <PurchasesTab />,
  Access: <AccessTab />,
  Declarations: <DeclarationsTab />,
  Reviews: <ReviewsTab />,
  Activity: <ActivityTab />,
}

/** The open tab is kept in the URL, so reloads and shared links land on it. */
function useTab() {
  const named = Object.keys(tabs).find((name) => `#${name.toLowerCase()}` === location.hash)
  const [tab, setTab] = useState(named ?? 'Assets')
  return [
    tab,
    (name: string) => {
      history.replaceState(history.state, '', `#${name.toLowerCase()}`)
      setTab(name)
    },
  ] as const
}

export default function AdminPage() {
  const [tab, setTab] = useTab()
  return (
    <>
      <PageHeading title="Admin Dashboard" />
      <Container className="flex flex-col gap-10 pb-24">
        <ImprintWarning />
        <Overview />
        <PaymentsCard />
        <Tabs value={tab} onValueChange={setTab} className="flex flex-col gap-6">
          <div className="-mx-5 overflow-x-auto px-5 sm:mx-0 sm:px-0">
            <TabList aria-label="Admin">
              {Object.keys(tabs).map((name) => (
                <Tab key={name} value={name}>
                  {name}
                </Tab>
              ))}
            </TabList>
          </div>
          {Object.entries(tabs).map(([name, content]) => (
            <TabPanel key={name} value={name}>
              <Suspense fallback={<Skeleton className="h-96 rounded-lg" />}>{content}</Suspense>
            </TabPanel>
          ))}
        </Tabs>
      </Container>
    </>
  )
}
