import type { Price } from '../objects/catalog.ts'
import { periodOf } from '../objects/subscription.ts'
import type { Quirks } from '../quirks.ts'
import type { ControlData, EventRow, PaymentRow, SubscriptionRow } from './control.ts'
import { button, date, type Html, html, moment, money, page } from './html.ts'

const table = (label: string, empty: string, heads: string[], rows: Html[]) =>
  rows.length === 0
    ? html`<p>${empty}</p>`
    : html`<div class="Scroll" role="region" aria-label="${label}" tabindex="0"><table>
        <thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead>
        <tbody>${rows}</tbody>
      </table></div>`

const badge = (status: string) => html`<span>${status.replaceAll('_', ' ')}</span>`

function subscriptionRow({ subscription, email }: SubscriptionRow): Html {
  const live = subscription.status === 'active' || subscription.status === 'past_due'
  const { end } = periodOf(subscription)
  const period =
    subscription.ended_at !== null
      ? `Ended ${date(subscription.ended_at)}`
      : subscription.status === 'incomplete'
        ? 'Waiting for its first payment'
        : subscription.cancel_at !== null
          ? `Ends ${date(subscription.cancel_at)}`
          : subscription.status === 'past_due'
            ? `Ends ${date(end)}, unless paid`
            : `Renews ${date(end)}`
  const [item] = subscription.items.data
  const fails = subscription.$sandbox.fail_next_renewal
  return html`<tr>
    <td>${email ?? 'No email'}<br><code>${subscription.id}</code></td>
    <td>${item && `${money(item.price.unit_amount * item.quantity, item.price.currency)} / ${item.plan.interval}`}</td>
    <td>${badge(subscription.status)}</td>
    <td>${period}</td>
    <td><div class="Actions">${live && (fails ? 'Next renewal fails' : button('controls/fail-next-renewal', 'Fail next renewal', { subscription: subscription.id }, email ?? subscription.id))}
      ${live && subscription.cancel_at === null && button('controls/cancel-in-portal', 'Cancel in portal', { subscription: subscription.id }, email ?? subscription.id)}
      ${subscription.status === 'active' && button('controls/pause', 'Pause', { subscription: subscription.id }, email ?? subscription.id)}</div></td>
  </tr>`
}

const priceRow = (price: Price): Html => html`<tr>
    <td>${price.lookup_key ?? 'No lookup key'}<br><code>${price.id}</code></td>
    <td class="Number">${money(price.unit_amount, price.currency)}${price.recurring && ` / ${price.recurring.interval}`}</td>
    <td>${badge(price.active ? 'active' : 'archived')}</td>
    <td>${price.active && button('controls/archive-price', 'Archive', { price: price.id }, price.lookup_key ?? price.id)}</td>
  </tr>`

function paymentRow({ invoice, intent, charge, dispute, refund }: PaymentRow): Html {
  const paid = charge?.paid ?? false
  const left = charge ? charge.amount_captured - charge.amount_refunded : 0
  const disputable = paid && left > 0 && !charge?.disputed
  const refundable = paid && left > 0 && (!dispute || dispute.status === 'won')
  return html`<tr>
    <td><a href="${invoice.hosted_invoice_url}">${invoice.number}</a><br><span>${invoice.customer_email}</span></td>
    <td class="Number">${money(invoice.total, invoice.currency)}</td>
    <td>${badge(invoice.status)} ${charge && charge.amount_refunded > 0 && html`<br>${money(charge.amount_refunded, charge.currency)} refunded`}
      ${dispute && html`<br>Dispute: ${dispute.status.replaceAll('_', ' ')}`}</td>
    <td>${moment(invoice.created)}</td>
    <td><div class="Actions">
      ${refund && button('controls/fail-refund', 'Fail refund', { refund: refund.id }, invoice.number)}
      ${refundable && button('controls/refund', 'Refund', { payment_intent: intent.id }, invoice.number)}
      ${disputable && button('controls/warn-of-fraud', 'Warn of fraud', { payment_intent: intent.id }, invoice.number)}
      ${disputable && button('controls/open-dispute', 'Dispute', { payment_intent: intent.id }, invoice.number)}
      ${
        dispute?.status === 'needs_response' && [
          button('controls/close-dispute', 'Win', { dispute: dispute.id, outcome: 'won' }, invoice.number),
          button('controls/close-dispute', 'Lose', { dispute: dispute.id, outcome: 'lost' }, invoice.number),
        ]
      }
    </td>
  </tr>`
}

function eventRow(event: EventRow): Html {
  const state =
    event.deliveries === 0
      ? 'dropped'
      : event.delivered === event.deliveries
        ? `delivered${event.deliveries > 1 ? ` ${event.deliveries} times` : ''}`
        : event.next
          ? event.attempts === 0
            ? 'waiting'
            : 'will be retried'
          : 'given up'
  return html`<tr>
    <td><code>${event.type}</code><br><code>${event.about}</code></td>
    <td>${moment(Number(event.created))}</td>
    <td>${badge(state)}${event.attempts > 1 && ` after ${event.attempts} attempts`}${event.delivered < event.deliveries && event.answer && html`<br><span>${event.answer}</span>`}</td>
    <td>${button('controls/redeliver', 'Send again', { event: event.id }, event.type)}</td>
  </tr>`
}

const check = (name: string, label: string, on: boolean) =>
  html`<label><input type="checkbox" name="${name}" value="true"${on ? html` checked` : ''}> <span>${label}</span></label>`

const select = (name: string, label: string, chosen: string, choices: Record<string, string>) =>
  html`<label>${label} <select name="${name}">${Object.entries(choices).map(
    ([value, text]) =>
      html`<option value="${value}"${chosen === value ? html` selected` : ''}>${text}</option>`,
  )}</select></label>`

/** See README.md for what Stripe says about each. */
const behavior = ({ lag, failing, key, retries, afterRetries, shortens }: Quirks) => html`<section>
      <h2>As untidy as Stripe</h2>
      <form method="post" action="/_sandbox/controls/behave" class="Actions">
        ${select('lag', 'A payment’s subscription follows', lag.to === 0 ? 'none' : lag.to <= 2 ? 'short' : 'long', { none: 'at once', short: 'within 2 seconds', long: 'within a minute' })}
        ${select('failing', 'Requests that fail', String(failing), { '0': 'none', '0.1': '1 in 10', '0.5': 'half' })}
        ${select('key', 'The secret key', key.state, { works: 'works', expired: 'was rolled', restricted: 'may not refund', other_mode: 'is the other mode’s' })}
        ${select('retries', 'A failed renewal is tried again', retries, { smart: '8 times in 2 weeks', custom: '4 times in 3 weeks', none: 'never' })}
        ${select('after', 'and then', afterRetries, { cancel: 'the subscription ends', unpaid: 'it is unpaid', past_due: 'it stays past due' })}
        ${check('shortens', 'A day within a period ends it', shortens)}
        <button>Apply</button>
      </form>
      <div class="Actions">
        ${button('controls/fail-next', 'Next request: 500', { status: '500' })}
        ${button('controls/fail-next', 'Next request: 500, but done', { status: '500', done: 'true' })}
        ${button('controls/fail-next', 'Next request: 400, without a code', { status: '400' })}
        ${button('controls/fail-next', 'Next request: 429', { status: '429' })}
        ${button('controls/fail-next', 'Next request: 429, try again', { status: '429', retry: 'true' })}
        ${button('controls/settle', 'Finish payments', {})}
        ${button('controls/behave-as-usual', 'Behave as usual', {})}
      </div>
    </section>`

type Note = { kind: 'status' | 'alert'; text: string } | undefined

export function controlPage(data: ControlData, note: Note): string {
  const { quirks } = data
  const body = html`<main>
    <h1>Payment sandbox</h1>
    <p>Stands in for Stripe while no key is set. Nothing here moves real money.</p>
    ${note && html`<p role="${note.kind}">${note.text}</p>`}
    <section>
      <h2>Clock</h2>
      <p>In the sandbox it is <strong>${moment(data.now)} UTC</strong>. Moving on runs every renewal, retry and expiry on the way.</p>
      <div class="Actions">
        ${(['day', 'month', 'year'] as const).map((interval) => button('controls/advance', `Advance 1 ${interval}`, { interval }))}
      </div>
    </section>
    <section>
      <h2>Webhook mischief</h2>
      <form method="post" action="/_sandbox/controls/webhooks" class="Actions">
        ${select('duplicates', 'Events sent twice', String(quirks.duplicates), { '0': 'none', '0.1': '1 in 10', '1': 'all' })}
        ${select('spread', 'Order', String(quirks.spread), { '0': 'kept', '0.5': 'shuffled within half a second', '10': 'shuffled within 10 seconds' })}
        ${select('delay', 'Delay', String(quirks.delaySeconds), { '0': 'none', '10': '10 seconds', '60': '1 minute', '600': '10 minutes' })}
        ${check('drop', 'Lose events', quirks.drop)}
        <button>Apply</button>
      </form>
    </section>
    ${behavior(quirks)}
    <form method="get" action="/_sandbox/" role="search" class="Actions">
      <label>Customer’s email <input type="search" name="q" value="${data.search}"></label>
      <button>Search</button>
    </form>
    <section>
      <h2>Subscriptions</h2>
      ${table('Subscriptions', 'No subscriptions yet.', ['Customer', 'Price', 'Status', 'Period', 'Action'], data.subscriptions.map(subscriptionRow))}
    </section>
    <section>
      <h2>Invoices</h2>
      ${table('Invoices', 'No invoices yet.', ['Invoice', 'Amount', 'Status', 'Written', 'Actions'], data.payments.map(paymentRow))}
    </section>
    <section>
      <h2>Prices</h2>
      ${table('Prices', 'No prices yet.', ['Price', 'Amount', 'Status', 'Action'], data.prices.map(priceRow))}
    </section>
    <section>
      <h2>Webhook log</h2>
      ${table('Webhook log', 'No events yet.', ['Event', 'Time', 'Delivery', 'Action'], data.events.map(eventRow))}
    </section>
    <p>Each list shows the newest 50.</p>
  </main>`
  return page({ title: 'Payment sandbox', body }).text
}
