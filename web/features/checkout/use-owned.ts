import { reboundSigmaPro } from '#contract/price-list.ts'
import { purchases } from '#contract/purchases.ts'
import { isLive } from '#contract/statuses.ts'
import { useUser } from '#web/api/session.ts'
import { useData } from '#web/api/use-data.ts'

/** The live subscription of whoever is logged in: they needn't buy again. */
export function useOwned() {
  const { user } = useUser()
  const { data, isLoading } = useData(purchases.list, {}, { enabled: user !== null })
  return {
    isPending: isLoading,
    purchase: data?.find(({ product, status }) => product.slug === reboundSigmaPro.slug && isLive(status)),
  }
}
