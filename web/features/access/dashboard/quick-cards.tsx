import { ChartCandlestick, LogOut, type LucideIcon, Package, UserRound } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { assets } from '#contract/access/assets.ts'
import { useData } from '#web/api/client.ts'
import ProfileDialog from '#web/features/identity/account/profile-dialog.tsx'
import { useLogOut } from '#web/features/identity/sign-in/use-log-out.ts'
import type { MyPurchases } from '#web/features/selling/subscriptions/use-purchases.ts'
import { Skeleton } from '#web/ui/card.tsx'
import { Spinner } from '#web/ui/spinner.tsx'

const gridClasses = 'grid grid-cols-2 gap-2 sm:gap-3 lg:auto-cols-fr lg:grid-flow-col lg:grid-cols-none'

export function QuickCards({ purchases }: { purchases: MyPurchases }) {
  const logOut = useLogOut()
  const [isLoggingOut, setIsLoggingOut] = useState(false)
  const [isEditing, setIsEditing] = useState(false)
  if (purchases.query.isPending)
    return (
      <div className={gridClasses}>
        {['products', 'assets', 'profile', 'log-out'].map((card) => (
          <Skeleton key={card} className="min-h-18 rounded-md" />
        ))}
      </div>
    )
  // `list` is the name of a product's list of symbols, if it has one.
  const hasAssets = purchases.ownedProducts.some(({ list }) => list !== null)
  return (
    <div className={gridClasses}>
      <QuickCard title="My Products" icon={Package} onClick={() => scrollToSection('my-products')}>
        <ProductCount {...purchases} />
      </QuickCard>
      {hasAssets && (
        <QuickCard
          title="Recommended Assets"
          icon={ChartCandlestick}
          onClick={() => scrollToSection('recommended-assets')}
        >
          <AssetCount />
        </QuickCard>
      )}
      <QuickCard title="Profile" icon={UserRound} onClick={() => setIsEditing(true)}>
        Name and username
      </QuickCard>
      <QuickCard
        title="Log Out"
        icon={LogOut}
        isBusy={isLoggingOut}
        onClick={() => {
          setIsLoggingOut(true)
          void logOut().finally(() => setIsLoggingOut(false))
        }}
      >
        End this session
      </QuickCard>
      {isEditing && <ProfileDialog onClose={() => setIsEditing(false)} />}
    </div>
  )
}

function scrollToSection(id: string) {
  const section = document.getElementById(id)
  section?.scrollIntoView()
  section?.focus({ preventScroll: true })
}

function QuickCard(props: {
  title: string
  icon: LucideIcon
  isBusy?: boolean
  onClick: () => void
  children: ReactNode
}) {
  const { title, icon: Icon, isBusy, onClick, children } = props
  return (
    <button
      type="button"
      onClick={onClick}
      disabled={isBusy}
      className="flex min-h-18 min-w-0 cursor-pointer items-center gap-3 rounded-md border border-line bg-surface px-3 py-2 text-left shadow-card transition-colors hover:border-accent max-lg:[&:last-of-type:nth-of-type(odd)]:col-span-2 sm:px-4"
    >
      <span className="text-muted max-sm:hidden">
        {isBusy ? <Spinner /> : <Icon className="size-5" strokeWidth={1.75} />}
      </span>
      <span className="flex min-w-0 flex-col text-sm">
        <span className="font-semibold">{title}</span>
        <span className="text-muted">{children}</span>
      </span>
    </button>
  )
}

function Count({ value, children }: { value: string; children: ReactNode }) {
  return (
    <>
      <span className="font-semibold text-ink tabular-nums">{value}</span> {children}
    </>
  )
}

function ProductCount({ query, allPurchases, livePurchases }: MyPurchases) {
  if (query.isError) return 'Not available'
  if (!allPurchases) return null
  const total = query.hasNextPage ? `${allPurchases.length}+` : `${allPurchases.length}`
  const areAllLive = livePurchases.length === allPurchases.length
  return (
    <Count value={total}>
      {areAllLive ? 'active subscriptions' : `total, ${livePurchases.length} active subscriptions`}
    </Count>
  )
}

function AssetCount() {
  const { data, isError } = useData(assets.list, {})
  if (isError) return 'Not available'
  if (!data) return <Skeleton className="h-5 w-24" />
  return <Count value={`${data.length}`}>{data.length === 1 ? 'symbol' : 'symbols'}</Count>
}
