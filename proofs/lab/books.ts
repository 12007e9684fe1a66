import { isDeepStrictEqual } from 'node:util'
import type { compareBooks } from '#server/testing/books.ts'

/** Purchases that differ from Stripe: wrong, missing, extra or duplicated. */
export function countDifferent({ booked, wanted }: Awaited<ReturnType<typeof compareBooks>>) {
  const bookedById = new Map(booked.map((purchase) => [purchase.id, purchase]))
  const wantedById = new Map(wanted.map((purchase) => [purchase.id, purchase]))
  const ids = [...new Set([...bookedById.keys(), ...wantedById.keys()])]
  const differentIds = ids.filter((id) => !isDeepStrictEqual(bookedById.get(id), wantedById.get(id)))
  const duplicates = booked.length - bookedById.size
  return differentIds.length + duplicates
}
