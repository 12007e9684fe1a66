import type { Clock } from '../billing/clock.ts'
import { addSteps, type Interval } from '../dates.ts'
import { invalid } from '../failure.ts'

const seconds = { hour: 3600, minute: 60, second: 1 }

export function timeControls(clock: Clock, changed: () => void) {
  /** That much later than now. */
  async function after(count: number, interval: Interval | keyof typeof seconds) {
    const now = await clock.now()
    return interval === 'hour' || interval === 'minute' || interval === 'second'
      ? now + count * seconds[interval]
      : addSteps(now, { interval, interval_count: 1 }, count)
  }

  return {
    /** The sandbox's time, in seconds since 1970. */
    now: clock.now,
    after,

    /** Moves time forward and runs, in order, everything that falls due on the way. */
    async advance(...time: Parameters<typeof after>) {
      if (!(time[0] > 0)) throw invalid('Time only moves forward.')
      await clock.advanceTo(await after(...time))
      changed()
    },

    /** Finishes the payments that Stripe is still working on, whatever their lag. */
    async settle() {
      await clock.settle()
      changed()
    },
  }
}
