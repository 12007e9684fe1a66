/** Meaning of the first number in days like 03/04/2026. */
export type DayOrder = 'day' | 'month'

/** 12/31/2026, 31.12.26 */
const numericDay = /^(\d\d?)([/.-])(\d\d?)\2(\d{4}|\d\d)(?!\d)/
/** 2026/12/31 */
const yearFirst = /^(\d{4})[/.](\d\d?)[/.](\d\d?)(?!\d)/
/** 31-Dec-2026, 31. December 26 */
const dayAndName = /^(\d\d?)\.?[ -]([a-z]{3})[a-z]*\.?,?[ -](\d{4}|\d\d)$/i
/** December 31, 2026 */
const nameAndDay = /^([a-z]{3})[a-z]*\.? (\d\d?),? (\d{4})$/i
const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']

/** Finds the order of day and month: an unambiguous day decides for the file, otherwise `unclear` is an example. */
export function orderOfDays(cells: string[]): { order?: DayOrder; unclear?: string } {
  const foundOrders = new Set<DayOrder>()
  let unclear: string | undefined
  for (const cell of cells) {
    const [, first, separator, second] = numericDay.exec(cell) ?? []
    // Dates written with dots always begin with the day.
    if (!first || !second || separator === '.') continue
    if (Number(first) > 12) foundOrders.add('day')
    else if (Number(second) > 12) foundOrders.add('month')
    else if (Number(first) !== Number(second)) unclear ??= cell
  }
  const [order] = foundOrders
  if (order && foundOrders.size === 1) return { order }
  return unclear ? { unclear } : {}
}

/** Returns `2026-12-31` for a day that spreadsheets write, and any other text unchanged. */
export function readDay(cell: string, order: DayOrder | undefined): string {
  const [year, month, day] = yearMonthDayOf(cell, order)
  const isoDay = `${year.length === 2 ? '20' : ''}${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
  return isDay(isoDay) ? isoDay : cell
}

function yearMonthDayOf(cell: string, order: DayOrder | undefined): [year: string, month: string, day: string] {
  const [, first = '', separator, second = '', year = ''] = numericDay.exec(cell) ?? []
  const isDayFirst = separator === '.' || Number(first) > 12 || (Number(second) <= 12 && order === 'day')
  if (year) return isDayFirst ? [year, second, first] : [year, first, second]
  const [, isoYear, isoMonth = '', isoDay = ''] = yearFirst.exec(cell) ?? []
  if (isoYear) return [isoYear, isoMonth, isoDay]
  const monthNumber = (monthName: string) => String(months.indexOf(monthName.toLowerCase()) + 1)
  const dayFirst = dayAndName.exec(cell)
  if (dayFirst) {
    const [, day = '', monthName = '', dayFirstYear = ''] = dayFirst
    return [dayFirstYear, monthNumber(monthName), day]
  }
  const [, monthName = '', day = '', nameFirstYear = ''] = nameAndDay.exec(cell) ?? []
  return [nameFirstYear, monthNumber(monthName), day]
}

/** Rejects days like `2026-02-31`, which `Date` would turn into March 3. */
const isDay = (text: string) =>
  /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)) && new Date(text).toISOString().startsWith(text)

const longFormat = new Intl.DateTimeFormat('en-US', { dateStyle: 'long', timeZone: 'UTC' })

/** Formats a day like `December 31, 2026`, so that a seller notices a misread day. */
export const formatDay = (day: string) => (isDay(day) ? longFormat.format(new Date(day)) : day)
