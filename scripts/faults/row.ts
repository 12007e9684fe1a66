import type { Victim } from './victim.ts'

/** Each row hurts the shop in one way and answers one line of figures; `ok` says whether the goal was met. */
export type Row = {
  name: string
  /** Hurts what others share, or measures what others would disturb. */
  alone?: true
  /** Settings of the shop that it hurts. */
  env?: Record<string, string>
  run(victim: Victim, quick: boolean): Promise<Outcome>
}

export type Outcome = { ok: boolean; figures: string; skipped?: boolean }

export async function timed<Result>(
  work: () => Promise<Result>,
): Promise<[result: Result, milliseconds: number]> {
  const started = performance.now()
  return [await work(), performance.now() - started]
}

export const subscribe = ({ url }: Pick<Victim, 'url'>, email: string) =>
  fetch(`${url}/api/newsletter/subscribe`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email }),
    signal: AbortSignal.timeout(20_000),
  })

export const format = (statuses: Map<number, number>) =>
  [...statuses].map(([status, count]) => `${status}: ${count}`).join(', ')
