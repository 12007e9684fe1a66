import { Gauge } from 'prom-client'

type Sample = { labels: Record<string, string>; value: number }

/** A gauge that holds its values already: for what is read anew at each scrape. An empty list leaves it without a value. */
export function gauge(name: string, help: string, values: number | Sample[]): Gauge {
  const samples = typeof values === 'number' ? [{ labels: {}, value: values }] : values
  const filled = new Gauge({ name, help, labelNames: Object.keys(samples[0]?.labels ?? {}), registers: [] })
  // Without labels, prom-client starts at 0.
  if (samples.length === 0) filled.remove()
  for (const { labels, value } of samples) filled.set(labels, value)
  return filled
}
