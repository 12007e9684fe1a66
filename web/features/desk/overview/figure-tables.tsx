import type { ShownFigures } from '#contract/desk/figures.ts'
import { exactDollars } from '#contract/money.ts'
import { Link } from '#web/ui/navigation.tsx'
import { Cell, Table } from '#web/ui/table.tsx'
import { Time } from '#web/ui/time.tsx'
import { CustomerLink } from '../customers/customer-link.tsx'
import { Heads, Nothing, number, numeric, Part, RowHead, underlined } from './figure.tsx'
import { meanings, monthName, perMonth } from './words.ts'

export function Stayed({ cohorts }: Pick<ShownFigures, 'cohorts'>) {
  const longest = Math.max(0, ...cohorts.map(({ stayed }) => stayed.length))
  const ages = Array.from({ length: longest }, (_, age) => (age === 0 ? 'Same month' : `+${age}`))
  return (
    <Part title="Who stayed" meaning={meanings.stayed}>
      {cohorts.length === 0 ? (
        <Nothing>Counted every hour, from the first payment on.</Nothing>
      ) : (
        <Table label="Who stayed, by month of first payment">
          <Heads titles={['First paid in', 'People', ...ages]} />
          <tbody>
            {cohorts.map(({ month, joined, stayed }) => (
              <tr key={month}>
                <RowHead>{monthName(month)}</RowHead>
                <Cell className={numeric}>{number(joined)}</Cell>
                {ages.map((age, index) => {
                  const found = stayed[index]
                  return (
                    <Cell key={age} className={numeric}>
                      {found && (
                        <>
                          {Math.round((100 * found.count) / joined)}%{' '}
                          <span className="block text-xs text-muted">{perMonth(found.arr)}</span>
                        </>
                      )}
                    </Cell>
                  )
                })}
              </tr>
            ))}
          </tbody>
        </Table>
      )}
    </Part>
  )
}

export function Cash({ cash }: Pick<ShownFigures, 'cash'>) {
  const cell = (month: string, kind: string, amount: number) => (
    <Cell className={numeric}>
      {amount === 0 ? (
        '–'
      ) : (
        <Link href={`/admin/purchases/payments?period=${month}&kind=${kind}`} className={underlined}>
          {exactDollars(amount)}
        </Link>
      )}
    </Cell>
  )
  return (
    <Part title="Cash" meaning={meanings.cash}>
      {cash.length === 0 ? (
        <Nothing>No payments in this time.</Nothing>
      ) : (
        <Table label="Cash by month">
          <Heads titles={['Month', 'Paid', 'Tax in it', 'Refunded', 'Lost to disputes', 'Left']} />
          <tbody>
            {cash.map(({ month, paid, tax, refunded, lost }) => (
              <tr key={month}>
                <RowHead>{monthName(month)}</RowHead>
                {cell(month, 'payment', paid)}
                <Cell className={numeric}>{tax === 0 ? '–' : exactDollars(tax)}</Cell>
                {cell(month, 'refund', refunded)}
                {cell(month, 'dispute', lost)}
                <Cell className={`${numeric} font-medium`}>{exactDollars(paid - refunded - lost)}</Cell>
              </tr>
            ))}
          </tbody>
        </Table>
      )}
    </Part>
  )
}

export function Proof({ proof }: Pick<ShownFigures, 'proof'>) {
  return (
    <Part title="Compared with Stripe" meaning={meanings.proof}>
      {proof ? (
        <>
          <p role={proof.differing > 0 ? 'alert' : undefined}>
            <Time value={proof.at} withClock />: {number(proof.compared)}{' '}
            {proof.compared === 1 ? 'subscription comes' : 'subscriptions come'} to {perMonth(proof.atStripe)}{' '}
            a month at Stripe and to {perMonth(proof.here)} here.{' '}
            {proof.differing === 0 ? 'Every one is the same.' : `${number(proof.differing)} differ.`}
            {proof.elsewhere > 0 &&
              ` Another ${perMonth(proof.elsewhere)} was paid elsewhere, which Stripe doesn’t know.`}
          </p>
          {proof.differences.length > 0 && (
            <Table label="Subscriptions that differ">
              <Heads titles={['Subscription', 'At Stripe', 'Here']} />
              <tbody>
                {proof.differences.map(({ subscriptionId, userId, atStripe, here }) => (
                  <tr key={subscriptionId}>
                    <RowHead>
                      {userId ? <CustomerLink id={userId}>{subscriptionId}</CustomerLink> : subscriptionId}
                    </RowHead>
                    <Cell className={numeric}>{perMonth(atStripe)}</Cell>
                    <Cell className={numeric}>{perMonth(here)}</Cell>
                  </tr>
                ))}
              </tbody>
            </Table>
          )}
        </>
      ) : (
        <Nothing>The first comparison runs tonight.</Nothing>
      )}
    </Part>
  )
}
