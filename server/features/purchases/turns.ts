/** Work on the same id happens one after the other, in the order it was asked for. */
export function createTurns() {
  const last = new Map<string, Promise<unknown>>()
  return function inTurn<Result>(id: string, work: () => Promise<Result>): Promise<Result> {
    const turn = (last.get(id) ?? Promise.resolve()).then(work)
    const end = turn
      .catch(() => {})
      .finally(() => {
        if (last.get(id) === end) last.delete(id)
      })
    last.set(id, end)
    return turn
  }
}

/** In turn, too; and who comes while a turn waits is served by it, because it has not begun yet. */
export function joinedTurns(work: (id: string) => Promise<void>) {
  const inTurn = createTurns()
  const waiting = new Map<string, Promise<void>>()
  return function join(id: string): Promise<void> {
    const joined =
      waiting.get(id) ??
      inTurn(id, () => {
        waiting.delete(id)
        return work(id)
      })
    waiting.set(id, joined)
    return joined
  }
}
