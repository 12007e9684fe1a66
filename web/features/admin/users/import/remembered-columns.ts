import type { Mapping } from './column-mapping.ts'

const key = 'import-columns'

export function rememberedMapping(titles: string[]): Mapping | undefined {
  try {
    return JSON.parse(localStorage.getItem(key) ?? '{}')[titles.join('\n')]
  } catch {
    return undefined
  }
}

export function rememberMapping(titles: string[], mapping: Mapping) {
  try {
    localStorage.setItem(key, JSON.stringify({ [titles.join('\n')]: mapping }))
  } catch {
    // A browser that stores nothing asks again next time.
  }
}
