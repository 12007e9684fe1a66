import { useQueryClient } from '@tanstack/react-query'
import type { Endpoint } from '#contract/endpoint.ts'
import { keyOf } from './use-data.ts'

/** Reloads what these calls have loaded before. */
export function useRefresh(rows: Endpoint[]) {
  const client = useQueryClient()
  return () => Promise.all(rows.map((row) => client.invalidateQueries({ queryKey: keyOf(row) })))
}
