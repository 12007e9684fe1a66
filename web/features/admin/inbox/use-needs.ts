import { needHref } from '#contract/admin/need-texts.ts'
import { maxCount, type Need, overview } from '#contract/admin/overview.ts'
import { stripeSetup } from '#contract/selling/stripe-setup.ts'
import { useData } from '#web/api/client.ts'
import { useCan } from '#web/api/session.ts'
import { formatNumber } from '../parts/count.ts'

/** The server stops counting at `maxCount`, shown as "1,000+". */
export const formatCapped = (value: number) => `${formatNumber(value)}${value < maxCount ? '' : '+'}`

const sumCounts = (needs: Need[]) => needs.reduce((total, { count }) => total + count, 0)

export function useNeeds() {
  const can = useCan()
  const needs = useData(overview.adminNeeds, {}, { enabled: can('customers.read') })
  const stripe = useData(stripeSetup.adminCheck, {}, { once: true, enabled: can('settings.write') })
  const stripeSteps = stripe.data?.filter(({ state }) => state === 'todo').length ?? 0
  const openNeeds = needs.data ?? []
  return {
    query: needs,
    needs: needs.data,
    stripeSteps,
    isCounted: !needs.isLoading && !stripe.isLoading,
    count: sumCounts(openNeeds) + stripeSteps,
    countAt(paths: readonly string[]) {
      const matchingNeeds = openNeeds.filter(({ kind }) => paths.includes(needHref(kind).split('?')[0] ?? ''))
      return sumCounts(matchingNeeds) + (paths.includes('/admin/settings') ? stripeSteps : 0)
    },
  }
}
