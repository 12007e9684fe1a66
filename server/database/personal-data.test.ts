import { getTableColumns, getTableName, isTable } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { personalTables } from './personal-data.ts'
import type { Personal } from './schema/personal.ts'
import * as schema from './schema.ts'

/** What is in these says nothing about a person, or says it with the purchase; their rooms keep newsletters and the audit log. */
const aboutNoOne = [
  ...[
    'attempts',
    'email_questions',
    'products',
    'prices',
    'recommended_assets',
    'shop_settings',
    'terms_texts',
  ],
  ...[
    'discount_codes',
    'mrr_days',
    'mrr_proofs',
    'cohort_months',
    'cash_months',
    'tv_connection',
    'tv_scripts',
  ],
  ...['tv_runs', 'stripe_events', 'stripe_events_pulled', 'payments', 'refunds', 'plan_switches'],
  ...['newsletters', 'newsletter_subscriptions', 'newsletter_recipients', 'mail_suppressions', 'audit_log'],
]

const wordsOf = (words = '') => words.split(' ').filter(Boolean)

/** Every column that a declaration names: shown, emptied, or neither. */
function namedBy({ table, shown, besides, empties }: Personal) {
  const person = { id: '', email: '', verifiedAt: null }
  const emptied = typeof empties === 'function' ? empties(person, new Date()) : (empties ?? {})
  const columns = getTableColumns(table)
  const more = Object.values(shown?.more ?? {})
  const renamed = Object.keys(columns).filter((name) => more.some((column) => column === columns[name]))
  return [...wordsOf(shown?.columns), ...wordsOf(besides), ...Object.keys(emptied), ...renamed]
}

test('every table says what it holds about people: each column is shown, emptied, or neither', () => {
  for (const table of Object.values(schema).filter((each) => isTable(each))) {
    const name = getTableName(table)
    const declared = personalTables.filter((personal) => getTableName(personal.table) === name)
    if (aboutNoOne.includes(name)) expect(declared, name).toEqual([])
    else {
      const named = declared.flatMap(namedBy)
      const columns = Object.keys(getTableColumns(table))
      expect(
        columns.filter((column) => !named.includes(column)),
        `undeclared in ${name}`,
      ).toEqual([])
      expect(
        named.filter((column) => !columns.includes(column)),
        `unknown in ${name}`,
      ).toEqual([])
    }
  }
})
