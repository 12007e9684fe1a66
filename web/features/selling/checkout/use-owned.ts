import { purchases } from '#contract/selling/purchases.ts'
import { useData } from '#web/api/client.ts'
import { useUser } from '#web/api/session.ts'

/** The logged-in user's purchase of the product, if it means that they can't buy it again. */
export function useOwned(slug: string) {
  const { user } = useUser()
  const { data, isLoading } = useData(purchases.list, {}, { enabled: user !== null })
  return { isPending: isLoading, purchase: data?.find(({ product, isOngoing }) => product.slug === slug && isOngoing) }
}
