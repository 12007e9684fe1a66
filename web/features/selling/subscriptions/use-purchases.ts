import { useInfiniteQuery } from '@tanstack/react-query'
import { type Purchase, purchases } from '#contract/selling/purchases.ts'
import { isLive } from '#contract/statuses.ts'
import { callPage, keyOf } from '#web/api/client.ts'
import { useSettings } from '#web/api/settings.tsx'

/** Loads the user's purchases page by page. Live purchases come first, each group newest first. */
export function usePurchases() {
  const { products } = useSettings()
  const query = useInfiniteQuery({
    queryKey: [...keyOf(purchases.list), 'pages'],
    queryFn: ({ pageParam, signal }) => callPage(purchases.list, pageParam ? { cursor: pageParam } : {}, { signal }),
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
  })
  const loadedPurchases = query.data?.pages.flatMap(({ items }) => items)
  const livePurchases = loadedPurchases?.filter(({ status }) => isLive(status)) ?? []
  const otherPurchases = loadedPurchases?.filter(({ status }) => !isLive(status)) ?? []
  return {
    query,
    /** Undefined until the first page has loaded. */
    allPurchases: loadedPurchases && [...livePurchases, ...otherPurchases],
    livePurchases,
    ownedProducts: products.filter(({ slug }) => livePurchases.some(({ product }) => product.slug === slug)),
  }
}

export type MyPurchases = ReturnType<typeof usePurchases>

const formatDay = (date: Date) => date.toLocaleDateString(undefined, { dateStyle: 'medium' })

export const resumedMessage = ({ currentPeriodEnd: end }: Purchase) => ({
  title: 'Subscription resumed',
  description: end ? `It renews on ${formatDay(new Date(end))}.` : 'It continues as before.',
})
