import { ApiError } from '#contract/call.ts'

export const wait = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

/** Pauses between the first polls; 20 seconds in all. */
const firstPausesSeconds = [0.5, 1, 1.5, 2, 3, 4, 4, 4]
const laterPauseSeconds = 10

const waitingNote = 'Your payment went through. We’re waiting for Stripe to confirm your subscription.'
const longWaitNote =
  'Your payment went through, but Stripe hasn’t confirmed your subscription yet. There’s nothing to do, and please don’t pay again. This page continues as soon as it’s confirmed, and your receipt follows by email.'

/** Polls, because Stripe may need seconds between the payment and the active subscription. A `retry-after` sets the pause. */
export async function untilDone(
  isDone: () => Promise<boolean>,
  showNote: (note: string) => void = () => {},
): Promise<void> {
  for (let polls = 0; ; polls++) {
    let pauseSeconds = firstPausesSeconds[polls] ?? laterPauseSeconds
    try {
      if (await isDone()) return
    } catch (error) {
      if (!(error instanceof ApiError) || error.retryAfterSeconds === undefined) throw error
      pauseSeconds = error.retryAfterSeconds
    }
    // The first note appears after 1.5 s.
    if (polls > 1) showNote(polls < firstPausesSeconds.length ? waitingNote : longWaitNote)
    await wait(pauseSeconds * 1000)
  }
}
