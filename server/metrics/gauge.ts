import { Gauge } from 'prom-client'

type Sample = { labels: Record<string, string>; value: number }

/** Made anew at each scrape. With an empty list, it has no value. */
export function gauge(name: string, help: string, values: number | Sample[]): Gauge {
  const samples = typeof values === 'number' ? [{ labels: {}, value: values }] : values
  const filled = new Gauge({ name, help, labelNames: Object.keys(samples[0]?.labels ?? {}), registers: [] })
  // A gauge without labels would start at 0.
  if (samples.length === 0) filled.remove()
  for (const { labels, value } of samples) filled.set(labels, value)
  return filled
}
