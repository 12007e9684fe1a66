import type { MovementKind } from '#contract/statuses.ts'
import { isFullyDiscounted, type Movement } from './movements.ts'

/** Movements this close together count as simultaneous, because Stripe's times are whole seconds. */
const simultaneousMs = 60_000

/** True for a purchase that runs at 100 % off, too. */
export const runsAfter = (movement: Movement) => movement.arrAfter > 0 || isFullyDiscounted(movement)

/**
 * Adds to each movement of a person its kind and the change in the number of paying people. Expects the movements of each
 * purchase, oldest first. A customer is won or lost only if no other purchase of the person runs at that time.
 */
export function withKinds<Item extends Movement>(
  movementsOfPurchases: Map<string, Item[]>,
): (Item & { kind: MovementKind; people: number })[] {
  // Sorted by id, so that the same history always has the same kinds.
  const purchases = [...movementsOfPurchases].toSorted(([a], [b]) => (a < b ? -1 : 1))
  const running = new Set<string>()
  return purchases
    .flatMap(([purchase, movements]) => withTimes(purchase, movements))
    .toSorted((a, b) => a.time - b.time)
    .map(({ movement, purchase, runs }, index) => {
      const wasCustomer = running.size > 0
      if (runs) running.add(purchase)
      else running.delete(purchase)
      const isCustomer = running.size > 0
      const people = Number(isCustomer) - Number(wasCustomer)
      return { ...movement, people, kind: kindOf(movement, people, index === 0) }
    })
}

/** A purchase starts a minute early, so that a change from one purchase to another doesn't lose the customer. */
function withTimes<Item extends Movement>(purchase: string, movements: Item[]) {
  let ran = false
  let time = 0
  return movements.map((movement) => {
    const runs = runsAfter(movement)
    const starts = runs && !ran
    time = Math.max(time, movement.at.getTime() - (starts ? simultaneousMs : 0))
    ran = runs
    return { movement, purchase, runs, time }
  })
}

function kindOf({ arrBefore, arrAfter }: Movement, people: number, isFirst: boolean): MovementKind {
  if (people < 0) return 'churn'
  if (people > 0) return isFirst ? 'new' : 'reactivation'
  return arrAfter > arrBefore ? 'expansion' : 'contraction'
}
