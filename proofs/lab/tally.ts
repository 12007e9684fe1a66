/** Counts by key, shown as `200: 41, 503: 2`. */
export function createTally<Key extends string | number>() {
  const counts = new Map<Key, number>()
  return {
    add: (key: Key) => void counts.set(key, (counts.get(key) ?? 0) + 1),
    of: (key: Key) => counts.get(key) ?? 0,
    /** Whether nothing else was counted. */
    only: (...keys: Key[]) => [...counts.keys()].every((key) => keys.includes(key)),
    clear: () => counts.clear(),
    show: () => [...counts].map(([key, count]) => `${key}: ${count}`).join(', ') || 'none',
  }
}
