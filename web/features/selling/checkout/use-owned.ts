import { purchases } from '#contract/selling/purchases.ts'
import { useData } from '#web/api/client.ts'
import { useUser } from '#web/api/session.ts'

/** Subscription of the logged-in user, unless it is about to end. */
export function useOwned(slug: string) {
  const { user } = useUser()
  const { data, isLoading } = useData(purchases.list, {}, { enabled: user !== null })
  return { isPending: isLoading, purchase: data?.find((each) => each.product.slug === slug && each.isOngoing) }
}
