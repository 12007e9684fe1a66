/** Lookups made at the same moment become one statement: a busy shop serves many visitors per round trip. */
export function createLoader<Key, Found>(load: (keys: Key[]) => Promise<Map<Key, Found>>) {
  let next: { keys: Key[]; found: Promise<Map<Key, Found>> } | undefined

  function open() {
    const keys: Key[] = []
    // Everything that has arrived by now is read before an immediate runs.
    const found = new Promise(setImmediate).then(() => {
      next = undefined
      return load(keys)
    })
    return { keys, found }
  }

  return async (key: Key): Promise<Found | undefined> => {
    const { keys, found } = (next ??= open())
    keys.push(key)
    return (await found).get(key)
  }
}
