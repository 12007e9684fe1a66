import type { Clock } from './billing/clock.ts'
import type { Books } from './books.ts'
import { behaviorControls } from './controls/behavior.ts'
import { dashboardControls } from './controls/dashboard.ts'
import { timeControls } from './controls/time.ts'
import type { createWebhooks } from './webhooks.ts'
import type { Work } from './work.ts'

export type Controls = ReturnType<typeof createControls>

type Given = { books: Books; clock: Clock; webhooks: ReturnType<typeof createWebhooks> }

/** What someone could do in Stripe's dashboard, and some mischief that the network does on its own. */
export function createControls({ books, clock, webhooks }: Given) {
  async function act<T>(task: (work: Work) => Promise<T>): Promise<T> {
    const result = await books.write(task)
    void webhooks.wake()
    return result
  }

  return {
    ...timeControls(clock, () => void webhooks.wake()),
    ...behaviorControls(books, webhooks),
    ...dashboardControls(act),
  }
}
