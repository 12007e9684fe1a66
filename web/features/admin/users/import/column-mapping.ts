import type { ImportLine } from '#contract/admin/imports.ts'

export type Column = Exclude<keyof ImportLine, 'line'>
export type ProductName = { slug: string; name: string }

/** Columns that every file needs. The product column is only needed if several products are on sale. */
export const neededColumns = (products: ProductName[]): Column[] =>
  products.length > 1 ? ['email', 'product', 'plan', 'paidUntil'] : ['email', 'plan', 'paidUntil']

/** The index of a column in the file, or one text for every line. */
export type Source = { place: number } | { text: string }
export type Mapping = Partial<Record<Column, Source>>

export type Unmapped = { titles: string[]; samples: string[][]; guessed: Mapping }
