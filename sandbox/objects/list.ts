export type List<T> = { object: 'list'; data: T[]; has_more: boolean; url: string; total_count?: number }

export const listOf = <T>(url: string, data: T[], hasMore = false): List<T> => ({
  object: 'list',
  data,
  has_more: hasMore,
  url,
})
