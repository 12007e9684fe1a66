import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { Eye } from 'lucide-react'
import { lazy, useEffect, useMemo } from 'react'
import { access } from '#contract/access/access.ts'
import { assets } from '#contract/access/assets.ts'
import { privatePackage } from '#contract/access/package.ts'
import { customers } from '#contract/admin/customers.ts'
import type { OutputOf } from '#contract/endpoint.ts'
import { accounts } from '#contract/identity/accounts.ts'
import { purchases } from '#contract/selling/purchases.ts'
import { keyOf, useData } from '#web/api/client.ts'
import { useSettings } from '#web/api/settings.tsx'
import { isStepUpCanceled } from '#web/api/toast-error.ts'
import { Button } from '#web/ui/button.tsx'
import { EmptyState, Pending } from '#web/ui/card.tsx'
import { Link } from '#web/ui/navigation.tsx'

const DashboardPage = lazy(() => import('#web/features/access/dashboard/dashboard-page.tsx'))

type BuyerData = OutputOf<typeof customers.adminSeeAs>

/** The data comes from the server, and the buttons do nothing. */
export default function SeeAs({ id }: { id: string }) {
  // Loaded at each visit, so that the audit log records it.
  const query = useData(customers.adminSeeAs, { id }, { gcTime: 0 })
  const { data } = query
  if (isStepUpCanceled(query.error))
    return (
      <EmptyState title="Please confirm that it’s you" description="This page shows a customer’s data.">
        <Button variant="secondary" onClick={() => void query.refetch()}>
          Confirm
        </Button>
      </EmptyState>
    )
  if (!data) return <Pending query={query} />
  return (
    <div className="flex flex-col gap-4">
      <p
        role="status"
        className="sticky top-18 z-20 flex flex-wrap items-center gap-x-4 gap-y-2 rounded-lg border-2 border-warning bg-warning-soft px-5 py-3 text-sm"
      >
        <Eye className="size-5 shrink-0 text-warning" />
        <span className="min-w-0 flex-1 basis-60 break-words">
          You’re looking at the dashboard of <strong>{data.user?.email}</strong>. Nothing can be changed here, and the
          audit log records that you looked.
        </span>
        <Link href={`/admin/customers/${id}`} className="font-medium underline underline-offset-4">
          Back to the customer
        </Link>
      </p>
      <ReadOnlyDashboard buyerData={data} />
    </div>
  )
}

function ReadOnlyDashboard({ buyerData }: { buyerData: BuyerData }) {
  const [{ slug }] = useSettings().products
  const client = useMemo(() => createFilledClient(buyerData, slug), [buyerData, slug])
  useBlockedCalls()
  return (
    <QueryClientProvider client={client}>
      <fieldset disabled className="min-w-0 overflow-hidden rounded-lg border border-line">
        <legend className="sr-only">Read-only</legend>
        <DashboardPage />
      </fieldset>
    </QueryClientProvider>
  )
}

/** Calls of the admin area and its header. */
const callsOfAdminPage = /^\/api\/(admin|user$|logout)/

/** Blocks all other calls while the buyer’s page is shown, because they would act on the admin’s account. */
function useBlockedCalls() {
  useEffect(() => {
    const originalFetch = window.fetch
    window.fetch = async (address, init) => {
      if (typeof address === 'string' && callsOfAdminPage.test(address)) return originalFetch(address, init)
      throw new Error('View only')
    }
    return () => {
      window.fetch = originalFetch
    }
  }, [])
}

/** Client that holds the buyer's data and never fetches. */
function createFilledClient(buyerData: BuyerData, product: string) {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false, staleTime: Infinity, enabled: false } } })
  client.setQueryData(keyOf(accounts.user), buyerData.user)
  client.setQueryData([...keyOf(purchases.list), 'pages'], {
    pages: [{ items: buyerData.purchases, next: undefined }],
    pageParams: [''],
  })
  client.setQueryData(keyOf(access.mine), buyerData.access)
  if (buyerData.privatePackage) client.setQueryData(keyOf(privatePackage.show, { product }), buyerData.privatePackage)
  if (buyerData.assets) client.setQueryData(keyOf(assets.list), buyerData.assets)
  return client
}
