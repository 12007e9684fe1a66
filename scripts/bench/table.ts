/** One line of the table: a figure, what it may be at most (or at least), and whether it is. */
export type Line = { what: string; figure: string; budget: string; ok: boolean | undefined }

const mark = (ok: boolean | undefined) => (ok === undefined ? '' : ok ? 'yes' : 'NO')

export const tableOf = (lines: Line[]) =>
  [
    '| what | figure | budget | met |',
    '|---|---|---|---|',
    ...lines.map(({ what, figure, budget, ok }) => `| ${what} | ${figure} | ${budget} | ${mark(ok)} |`),
  ].join('\n')
