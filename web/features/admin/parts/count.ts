export const formatNumber = (value: number) => value.toLocaleString('en-US')

export const formatCount = (count: number, singular: string, plural = `${singular}s`) =>
  `${formatNumber(count)} ${count === 1 ? singular : plural}`

export const formatPeople = (count: number) => formatCount(count, 'person', 'people')
