type Labels = Record<string, string | number>
export type Sample = { labels?: Labels; value: number; suffix?: string }

/** One metric with all its samples: a Prometheus metric family. Plain data, so processes can pass it on. */
export type Family = {
  name: string
  type: 'gauge' | 'counter' | 'histogram'
  help: string
  samples: Sample[]
  /** How values from several processes combine: added up, unless the largest counts. */
  combine?: 'largest'
}

const familyOf =
  (type: Family['type']) =>
  (name: string, help: string, samples: Sample[] | number): Family => ({
    name,
    type,
    help,
    samples: typeof samples === 'number' ? [{ value: samples }] : samples,
  })
export const gauge = familyOf('gauge')
export const counter = familyOf('counter')

/** How long something took, by labels. It may run on every request, so it costs as little as it can. */
export function createHistogram(name: string, help: string, bounds: number[]) {
  const series = new Map<string, { labels: Labels; counts: number[]; sum: number; count: number }>()
  return {
    observe(labels: Labels, seconds: number) {
      const key = Object.values(labels).join(' ')
      let entry = series.get(key)
      if (!entry) series.set(key, (entry = { labels, counts: bounds.map(() => 0), sum: 0, count: 0 }))
      const { counts } = entry
      for (let index = counts.length - 1; index >= 0 && seconds <= (bounds[index] ?? 0); index--)
        counts[index] = (counts[index] ?? 0) + 1
      entry.sum += seconds
      entry.count += 1
    },
    family: (): Family =>
      familyOf('histogram')(
        name,
        help,
        [...series.values()].flatMap(({ labels, counts, sum, count }) => [
          ...counts.map((value, index) => ({
            labels: { ...labels, le: bounds[index] ?? 0 },
            value,
            suffix: '_bucket',
          })),
          { labels: { ...labels, le: '+Inf' }, value: count, suffix: '_bucket' },
          { labels, value: sum, suffix: '_sum' },
          { labels, value: count, suffix: '_count' },
        ]),
      ),
  }
}

export function addUp(processes: Family[][]): Family[] {
  const families = new Map<string, Family & { bySample: Map<string, Sample> }>()
  for (const family of processes.flat()) {
    const sum = families.get(family.name) ?? { ...family, bySample: new Map<string, Sample>() }
    families.set(family.name, sum)
    for (const sample of family.samples) {
      const key = JSON.stringify([sample.suffix, sample.labels])
      const known = sum.bySample.get(key)?.value
      const value =
        known === undefined
          ? sample.value
          : family.combine === 'largest'
            ? Math.max(known, sample.value)
            : known + sample.value
      sum.bySample.set(key, { ...sample, value })
    }
  }
  return [...families.values()].map(({ bySample, ...family }) => ({ ...family, samples: [...bySample.values()] }))
}

/** Prometheus's text format. */
export const textOf = (families: Family[]) =>
  families
    .map(({ name, type, help, samples }) =>
      [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...samples.map((sample) => line(name, sample)), ''].join(
        '\n',
      ),
    )
    .join('')

function line(name: string, { labels = {}, value, suffix = '' }: Sample) {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escape(String(text))}"`)
  return `${name}${suffix}${pairs.length > 0 ? `{${pairs.join()}}` : ''} ${value}`
}

const escape = (text: string) => text.replaceAll(/[\\"]/g, String.raw`\$&`).replaceAll('\n', String.raw`\n`)
