import { useUser } from '#web/api/session.ts'
import { useReturnedCard } from '#web/features/selling/checkout/use-returned-card.ts'
import { useMailedInvoice } from '#web/features/selling/invoices/invoices.ts'
import { FailedPayment } from '#web/features/selling/subscriptions/failed-payment.tsx'
import { MyProducts } from '#web/features/selling/subscriptions/my-products.tsx'
import { usePurchases } from '#web/features/selling/subscriptions/use-purchases.ts'
import { ButtonLink } from '#web/ui/button.tsx'
import { Card, Skeleton } from '#web/ui/card.tsx'
import { Link } from '#web/ui/navigation.tsx'
import { Container } from '#web/ui/page.tsx'
import Access from './access.tsx'
import { ConfirmLine } from './confirm-line.tsx'
import { DashboardSection } from './dashboard-section.tsx'
import OwnedContents from './owned-contents.tsx'
import { QuickCards } from './quick-cards.tsx'

export default function DashboardPage() {
  const { user } = useUser()
  const purchases = usePurchases()
  const { isPending } = purchases.query
  const { livePurchases, ownedProducts } = purchases
  const unpaidPurchase = livePurchases.find(({ status }) => status === 'past_due')
  useMailedInvoice()
  useReturnedCard()
  return (
    <>
      <ConfirmLine />
      <div className="border-b border-line">
        <Container className="flex flex-col gap-6 pt-10 pb-8 sm:pt-12">
          <header className="flex flex-wrap items-end justify-between gap-x-8 gap-y-4">
            <h1 className="text-3xl break-words">Welcome Back, {user?.name || 'Trader'}</h1>
            <Link
              href="/account"
              className="rounded-sm text-sm font-medium text-ink underline decoration-field underline-offset-4 hover:decoration-ink"
            >
              Account: email, password, devices, and your data
            </Link>
          </header>
          <QuickCards purchases={purchases} />
        </Container>
      </div>
      <Container className="flex flex-col gap-12 py-10 sm:gap-14 sm:py-12">
        {user?.isAdmin && !isPending && ownedProducts.length === 0 && <ToAdminArea />}
        {unpaidPurchase && <FailedPayment purchase={unpaidPurchase} />}
        {livePurchases.length > 0 && <Access purchases={livePurchases} />}
        {isPending ? (
          <div aria-busy="true" aria-label="Loading your products" className="flex min-h-screen flex-col gap-6">
            {['w-56', 'w-44'].map((width) => (
              <div key={width} className="flex flex-col gap-4 border-b border-line pb-10">
                <Skeleton className={`h-8 ${width}`} />
                <Skeleton className="h-4 w-72" />
                <Skeleton className="h-4 w-96 max-w-full" />
              </div>
            ))}
          </div>
        ) : (
          <DashboardSection id="my-products" title="My Products">
            <MyProducts {...purchases} />
          </DashboardSection>
        )}
        {ownedProducts.length > 0 && <OwnedContents ownedProducts={ownedProducts} />}
      </Container>
    </>
  )
}

function ToAdminArea() {
  return (
    <Card className="flex flex-wrap items-center gap-x-6 gap-y-4 border-accent">
      <div className="min-w-0 flex-1 basis-64">
        <h2 className="text-xl">You run this shop</h2>
        <p className="text-muted">This page is what buyers see. Your customers, sales and settings are elsewhere.</p>
      </div>
      <ButtonLink href="/admin/overview">Open the admin area</ButtonLink>
    </Card>
  )
}
