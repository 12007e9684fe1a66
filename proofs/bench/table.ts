/** One line of the table: a figure, its budget, and whether the budget is met. */
export type Line = { what: string; figure: string; budget: string; ok: boolean | undefined }

const mark = (ok: boolean | undefined) => (ok === undefined ? '' : ok ? 'yes' : 'NO')

export const tableOf = (lines: Line[]) =>
  [
    '| what | figure | budget | met |',
    '|---|---|---|---|',
    ...lines.map(({ what, figure, budget, ok }) => `| ${what} | ${figure} | ${budget} | ${mark(ok)} |`),
  ].join('\n')
