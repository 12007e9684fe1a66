import type { ImportLine } from '#contract/admin/imports.ts'

export type Column = Exclude<keyof ImportLine, 'line'>

/** Nobody can be imported without these. */
export const neededColumns: Column[] = ['email', 'plan', 'paidUntil']

/** The place of a column in the file, or the same text for every line. */
export type Source = { place: number } | { text: string }
export type Mapping = Partial<Record<Column, Source>>

/** The titles of a file with its first lines, for somebody who says which column is which. */
export type Unmapped = { titles: string[]; samples: string[][]; guessed: Mapping }
