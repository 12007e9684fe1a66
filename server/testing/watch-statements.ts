import pg from 'pg'
import type { Connection } from '../database/connect.ts'

/** Records what goes over the shop's own connections until asked; the job queue and the sandbox have others. */
export function watchStatements({ pool }: Pick<Connection, 'pool'>, counts: () => boolean = () => true) {
  const ours = new Set<unknown>()
  const statements: { text: string; values: unknown[] }[] = []
  const note = (client: unknown) => ours.add(client)
  pool.on('acquire', note)
  const { query } = pg.Client.prototype
  pg.Client.prototype.query = function watched(this: pg.Client, ...given: unknown[]) {
    const [statement, values = []] = given as [string | { text: string }, unknown[]?]
    if (ours.has(this) && counts())
      statements.push({ text: typeof statement === 'string' ? statement : statement.text, values })
    return Reflect.apply(query, this, given)
  } as typeof query
  return {
    stop() {
      pg.Client.prototype.query = query
      pool.off('acquire', note)
      return statements
    },
  }
}
