/** The number that comes first in days like 03/04/2026. */
export type DayOrder = 'day' | 'month'

const numbers = /^(\d\d?)([/.-])(\d\d?)\2(\d{4}|\d\d)(?!\d)/
const yearFirst = /^(\d{4})[/.](\d\d?)[/.](\d\d?)(?!\d)/
const dayAndName = /^(\d\d?)\.?[ -]([a-z]{3})[a-z]*\.?,?[ -](\d{4}|\d\d)$/i
const nameAndDay = /^([a-z]{3})[a-z]*\.? (\d\d?),? (\d{4})$/i
const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']

/** Finds the order of day and month: an unambiguous day decides for the file, otherwise `unclear` is an example. */
export function orderOfDays(cells: string[]): { order?: DayOrder; unclear?: string } {
  const found = new Set<DayOrder>()
  let unclear: string | undefined
  for (const cell of cells) {
    const [, first, separator, second] = numbers.exec(cell) ?? []
    // Days with dots always begin with the day.
    if (!first || !second || separator === '.') continue
    if (Number(first) > 12) found.add('day')
    else if (Number(second) > 12) found.add('month')
    else if (Number(first) !== Number(second)) unclear ??= cell
  }
  const [order] = found
  if (order && found.size === 1) return { order }
  return unclear ? { unclear } : {}
}

/** Returns `2026-12-31` for a day that spreadsheets write, and any other text unchanged. */
export function readDay(cell: string, order: DayOrder | undefined): string {
  const [year, month, day] = partsOf(cell, order)
  const read = `${year.length === 2 ? '20' : ''}${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
  return isDay(read) ? read : cell
}

function partsOf(cell: string, order: DayOrder | undefined): [year: string, month: string, day: string] {
  const [, first = '', separator, second = '', year = ''] = numbers.exec(cell) ?? []
  const isDayFirst = separator === '.' || Number(first) > 12 || (Number(second) <= 12 && order === 'day')
  if (year) return isDayFirst ? [year, second, first] : [year, first, second]
  const [, y, m = '', d = ''] = yearFirst.exec(cell) ?? []
  if (y) return [y, m, d]
  const monthOf = (name: string) => String(months.indexOf(name.toLowerCase()) + 1)
  const [, before, name = '', inYear = ''] = dayAndName.exec(cell) ?? []
  if (before) return [inYear, monthOf(name), before]
  const [, month = '', after = '', ofYear = ''] = nameAndDay.exec(cell) ?? []
  return [ofYear, monthOf(month), after]
}

/** `2026-02-31` would become March 3. */
const isDay = (text: string) =>
  /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)) && new Date(text).toISOString().startsWith(text)

const long = new Intl.DateTimeFormat('en-US', { dateStyle: 'long', timeZone: 'UTC' })

/** Formats `December 31, 2026`, so that a misread day is noticed. */
export const inWords = (day: string) => (isDay(day) ? long.format(new Date(day)) : day)
