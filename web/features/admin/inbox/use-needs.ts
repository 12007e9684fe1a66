import { needHref } from '#contract/admin/need-texts.ts'
import { maxCount, type Need, overview } from '#contract/admin/overview.ts'
import { stripeSetup } from '#contract/selling/stripe-setup.ts'
import { useData } from '#web/api/client.ts'
import { useCan } from '#web/api/session.ts'
import { formatNumber } from '../parts/count.ts'

export const upToMost = (value: number) => `${formatNumber(value)}${value < maxCount ? '' : '+'}`

const sum = (needs: Need[]) => needs.reduce((total, { count }) => total + count, 0)

/** Open work for the current user, with counts per screen. */
export function useNeeds() {
  const can = useCan()
  const needs = useData(overview.adminNeeds, {}, { enabled: can('customers.read') })
  const stripe = useData(stripeSetup.adminCheck, {}, { once: true, enabled: can('settings.write') })
  const stripeSteps = stripe.data?.filter(({ state }) => state === 'todo').length ?? 0
  const found = needs.data ?? []
  return {
    query: needs,
    needs: needs.data,
    stripeSteps,
    isCounted: !needs.isLoading && !stripe.isLoading,
    count: sum(found) + stripeSteps,
    countAt: (paths: readonly string[]) =>
      sum(found.filter(({ kind }) => paths.includes(needHref(kind).split('?')[0] ?? ''))) +
      (paths.includes('/admin/settings') ? stripeSteps : 0),
  }
}
