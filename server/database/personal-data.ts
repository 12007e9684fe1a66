import { and, eq, getTableColumns, type SQL } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import type { Database, Transaction } from './connect.ts'
import { personOf } from './people.ts'
import type { Person, Personal } from './schema/personal.ts'
import * as schema from './schema.ts'

export const personalTables = Object.values(schema)
  .filter((exported): exported is Personal[] => Array.isArray(exported))
  .flat()

function rowsOf(table: PgTable, of: Personal['of'], person: Person): SQL {
  const isAboutPerson = conditionFor(of ?? getTableColumns(table).userId, person)
  // Without a condition, a query would select everyone's rows.
  if (!isAboutPerson) throw new Error('Which rows are about this person?')
  return isAboutPerson
}

function conditionFor(columnOrFinder: Personal['of'], person: Person): SQL | undefined {
  if (!columnOrFinder) return undefined
  return typeof columnOrFinder === 'function' ? columnOrFinder(person) : eq(columnOrFinder, person.id)
}

const pick = <Value>(all: Record<string, Value>, names: string): Record<string, Value> =>
  Object.fromEntries(Object.entries(all).filter(([name]) => names.split(' ').includes(name)))

export async function readPersonalData(db: Database, userId: string): Promise<Record<string, unknown>> {
  const person = await personOf(db, userId)
  const data: Record<string, unknown> = {}
  for (const { table, of, shown } of personalTables) {
    if (!shown) continue
    if (shown.isSingleRow) {
      data[shown.as] = pick(person, shown.columns)
      continue
    }
    const order = shown.order ? [shown.order] : []
    data[shown.as] = await db
      .select({ ...pick(getTableColumns(table), shown.columns), ...shown.more })
      .from(table)
      .where(rowsOf(table, shown.of ?? of, person))
      .orderBy(...order)
  }
  return data
}

export async function erasePerson(tx: Transaction, userId: string, now: Date) {
  const person = await personOf(tx, userId)
  for (const { table, of, deletes, empties } of personalTables) {
    const isAboutPerson = rowsOf(table, of, person)
    if (deletes) await tx.delete(table).where(deletes === true ? isAboutPerson : and(isAboutPerson, deletes))
    const emptied = typeof empties === 'function' ? empties(person, now) : empties
    if (emptied) await tx.update(table).set(emptied).where(isAboutPerson)
  }
}
