/** A per-tab note that survives a reload; without storage, there is simply no note. */
export function sessionNote(name: string) {
  return {
    read: () => attempt(() => sessionStorage.getItem(name)),
    write: (value: string) => attempt(() => sessionStorage.setItem(name, value)),
  }
}

function attempt<Result>(work: () => Result): Result | null {
  try {
    return work()
  } catch {
    return null
  }
}
