import type { IncomingMessage } from 'node:http'
import { parseForm } from '../api/form.ts'
import { choice, flag, integer, type Params, reader, required, type Shape, text } from '../api/params.ts'
import type { Controls } from '../controls.ts'

type Action = { done: string; run(controls: Controls, body: string): Promise<unknown> }

function action<S extends Shape>(
  done: string,
  shape: S,
  run: (controls: Controls, params: Params<S>) => Promise<unknown>,
): Action {
  const read = reader(shape)
  return { done, run: (controls, body) => run(controls, read(parseForm(body))) }
}

const lags = { none: { from: 0, to: 0 }, short: { from: 0.2, to: 2 }, long: { from: 10, to: 60 } }

/** The buttons of the control page, by the last part of their address. */
export const actions = new Map<string, Action>([
  [
    'advance',
    action(
      'The clock was moved on.',
      { interval: required(choice('day', 'month', 'year')) },
      (controls, { interval }) => controls.advance(1, interval),
    ),
  ],
  [
    'fail-next-renewal',
    action('The next renewal will fail.', { subscription: required(text) }, (controls, { subscription }) =>
      controls.failNextRenewal(subscription),
    ),
  ],
  [
    'refund',
    action(
      'The payment was refunded.',
      { payment_intent: required(text) },
      (controls, { payment_intent: intent }) => controls.refund(intent),
    ),
  ],
  [
    'open-dispute',
    action(
      'The payment is disputed.',
      { payment_intent: required(text) },
      (controls, { payment_intent: intent }) => controls.openDispute(intent),
    ),
  ],
  [
    'close-dispute',
    action(
      'The dispute is closed.',
      { dispute: required(text), outcome: required(choice('won', 'lost')) },
      (controls, { dispute, outcome }) => controls.closeDispute(dispute, outcome),
    ),
  ],
  [
    'webhooks',
    action(
      'Webhooks will behave this way from now on.',
      {
        delay: required(integer),
        drop: flag,
        duplicates: required(choice('0', '0.1', '1')),
        spread: required(choice('0', '0.5', '10')),
      },
      (controls, { delay, drop = false, duplicates, spread }) =>
        controls.behave({
          delaySeconds: delay,
          drop,
          duplicates: Number(duplicates),
          spread: Number(spread),
        }),
    ),
  ],
  [
    'behave',
    action(
      'The sandbox will behave this way from now on.',
      {
        after: required(choice('cancel', 'unpaid', 'past_due')),
        failing: required(choice('0', '0.1', '0.5')),
        key: required(choice('works', 'expired', 'restricted', 'other_mode')),
        lag: required(choice('none', 'short', 'long')),
        retries: required(choice('smart', 'custom', 'none')),
      },
      async (controls, { after, failing, key, lag, retries }) => {
        await controls.changeKey(key, ['rak_charge_write'])
        await controls.behave({ afterRetries: after, failing: Number(failing), lag: lags[lag], retries })
      },
    ),
  ],
  [
    'fail-next',
    action(
      'The next request will fail.',
      { done: flag, retry: flag, status: required(choice('400', '429', '500')) },
      (controls, { done = false, retry, status }) =>
        controls.failNext(
          status === '429'
            ? { status: 429, ...(retry === undefined ? {} : { shouldRetry: retry }) }
            : status === '400'
              ? { status: 400 }
              : { status: 500, done },
        ),
    ),
  ],
  [
    'behave-as-usual',
    action('The sandbox behaves as usual again.', {}, (controls) => controls.behaveAsUsual()),
  ],
  ['settle', action('All payments are finished.', {}, (controls) => controls.settle())],
  [
    'cancel-in-portal',
    action(
      'The subscription will end with its period.',
      { subscription: required(text) },
      (controls, given) => controls.cancelInPortal(given.subscription),
    ),
  ],
  [
    'pause',
    action('The subscription is paused.', { subscription: required(text) }, (controls, given) =>
      controls.pause(given.subscription),
    ),
  ],
  [
    'archive-price',
    action('The price is archived and keeps its lookup key.', { price: required(text) }, (controls, given) =>
      controls.archivePrice(given.price),
    ),
  ],
  [
    'fail-refund',
    action('The bank returned the refund.', { refund: required(text) }, (controls, given) =>
      controls.failRefund(given.refund),
    ),
  ],
  [
    'redeliver',
    action('The event was sent again.', { event: required(text) }, (controls, { event }) =>
      controls.webhooks.redeliver(event),
    ),
  ],
])

/** Another site must not press the buttons through a visitor's browser. */
export function isOwnForm(request: IncomingMessage): boolean {
  const { 'sec-fetch-site': site, origin, host } = request.headers
  if (site !== undefined) return site === 'same-origin'
  return origin !== undefined && URL.canParse(origin) && new URL(origin).host === host
}
