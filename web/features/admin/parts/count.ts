export const number = (value: number) => value.toLocaleString('en-US')

export const counted = (count: number, one: string, many = `${one}s`) => `${number(count)} ${count === 1 ? one : many}`

export const people = (count: number) => counted(count, 'person', 'people')
