import { useInfiniteQuery } from '@tanstack/react-query'
import { reboundSigmaPro } from '#contract/selling/price-list.ts'
import { purchases } from '#contract/selling/purchases.ts'
import { isLive } from '#contract/statuses.ts'
import { callPage } from '#web/api/client.ts'
import { keyOf } from '#web/api/use-data.ts'

/** The user's purchases, page by page: those that grant access first, then newest first. */
export function usePurchases() {
  const query = useInfiniteQuery({
    queryKey: [...keyOf(purchases.list), 'pages'],
    queryFn: ({ pageParam, signal }) =>
      callPage(purchases.list, pageParam ? { cursor: pageParam } : {}, { signal }),
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
  })
  const loaded = query.data?.pages.flatMap(({ items }) => items)
  const live = loaded?.filter(({ status }) => isLive(status)) ?? []
  return {
    query,
    all: loaded && [...live, ...loaded.filter(({ status }) => !isLive(status))],
    live,
    ownsReboundSigmaPro: live.some(({ product }) => product.slug === reboundSigmaPro.slug),
  }
}

export type MyPurchases = ReturnType<typeof usePurchases>
