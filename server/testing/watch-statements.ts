import pg from 'pg'
import type { Connection } from '../database/connect.ts'

/** Records only the shop's own connections, not those of the job queue and the sandbox. */
export function watchStatements({ pool }: Pick<Connection, 'pool'>, isRecorded: () => boolean = () => true) {
  const shopClients = new Set<unknown>()
  const statements: { text: string; values: unknown[] }[] = []
  const noteClient = (client: unknown) => shopClients.add(client)
  pool.on('acquire', noteClient)
  const { query } = pg.Client.prototype
  pg.Client.prototype.query = function watched(this: pg.Client, ...args: unknown[]) {
    const [statement, values = []] = args as [string | { text: string }, unknown[]?]
    if (shopClients.has(this) && isRecorded())
      statements.push({ text: typeof statement === 'string' ? statement : statement.text, values })
    return Reflect.apply(query, this, args)
  } as typeof query
  return {
    stop() {
      pg.Client.prototype.query = query
      pool.off('acquire', noteClient)
      return statements
    },
  }
}
