import type { Sample } from './family.ts'

const bounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]

type Labels = { method: string; route: string; status: number }

/** How long requests took, by route and status. It runs on every request, so it costs as little as it can. */
export function createHistogram() {
  const series = new Map<string, { labels: Labels; counts: number[]; sum: number; count: number }>()
  return {
    observe(labels: Labels, seconds: number) {
      const key = `${labels.method} ${labels.route} ${labels.status}`
      let entry = series.get(key)
      if (!entry) series.set(key, (entry = { labels, counts: bounds.map(() => 0), sum: 0, count: 0 }))
      const { counts } = entry
      for (let index = counts.length - 1; index >= 0 && seconds <= (bounds[index] ?? 0); index--)
        counts[index] = (counts[index] ?? 0) + 1
      entry.sum += seconds
      entry.count += 1
    },
    samples: (): Sample[] =>
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
  }
}
