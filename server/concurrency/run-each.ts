/** Continues after a failure, so that one item does not stop those behind it. Throws all failures at the end. */
export async function runEach<Item>(noun: string, items: Item[], run: (item: Item) => Promise<unknown>) {
  const failures: unknown[] = []
  for (const item of items) await run(item).catch((error: unknown) => failures.push(error))
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} of ${items.length} ${noun} failed`)
}
