import { getTableColumns, getTableName, isTable, type Table } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { personalTables } from './personal-data.ts'
import type { Personal } from './schema/personal.ts'
import * as schema from './schema.ts'

/** What is in these says nothing about a person, or says it with the purchase; their rooms keep newsletters and the audit log. */
const aboutNoOne = new Set(
  `attempts email_questions products prices recommended_assets shop_settings terms_texts discount_codes mrr_days mrr_proofs cohort_months cash_months tv_connection tv_scripts tv_runs stripe_events stripe_events_pulled payments refunds plan_switches newsletters newsletter_subscriptions newsletter_recipients mail_suppressions audit_log`.split(
    /\s+/,
  ),
)

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

const nameOf = (table: Table) => getTableName(table)
const declarationsOf = (table: Table) =>
  personalTables.filter((personal) => nameOf(personal.table) === nameOf(table))

test('every table says what it holds about people: each column is shown, emptied, or neither', () => {
  const tables = Object.values(schema).filter((each) => isTable(each))
  const [silent, telling] = [true, false].map((isSilent) =>
    tables.filter((table) => aboutNoOne.has(nameOf(table)) === isSilent),
  )
  expect(silent?.filter((table) => declarationsOf(table).length > 0).map(nameOf)).toEqual([])
  for (const table of telling ?? [])
    expect(new Set(declarationsOf(table).flatMap(namedBy)), nameOf(table)).toEqual(
      new Set(Object.keys(getTableColumns(table))),
    )
})
