/** Runs the task, never twice at once; called while it runs, it runs once more afterwards. */
export function coalesce(task: () => Promise<void>) {
  let running: Promise<void> | undefined
  let again = false

  async function repeat() {
    do {
      again = false
      await task()
    } while (again)
  }

  return {
    run(): Promise<void> {
      again = true
      running ??= repeat().finally(() => {
        running = undefined
      })
      return running
    },
    /** Resolves when nothing is running. */
    idle: async () => running,
  }
}
