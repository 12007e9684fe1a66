import type pg from 'pg'
import { type Mischief, type RequestMark, Work } from './work.ts'

export type Books = ReturnType<typeof openBooks>

/** What leaves the sandbox: without its own notes, with addresses as browsers see them. */
const presenter = (publicUrl: string) => (value: unknown) =>
  JSON.parse(
    JSON.stringify(value, (key, each) => {
      if (key === '$sandbox') return undefined
      const isAddress = key === 'hosted_invoice_url' || key === 'invoice_pdf'
      return isAddress && typeof each === 'string' && each.startsWith('/') ? publicUrl + each : each
    }),
  )

export function openBooks(database: pg.Pool, publicUrl: string) {
  const present = presenter(publicUrl.replace(/\/$/, ''))

  async function begin(connection: Pick<pg.ClientBase, 'query'>, request: RequestMark | null) {
    const { rows } = await connection.query<{ clock_offset: string; mischief: Mischief }>(
      'select clock_offset, mischief from sandbox.settings',
    )
    const now = Math.floor(Date.now() / 1000) + Number(rows[0]?.clock_offset ?? 0)
    return new Work({ database: connection, present, request, mischief: rows[0]?.mischief ?? {}, now })
  }

  return {
    database,
    present,

    read: async <T>(task: (work: Work) => Promise<T>) => task(await begin(database, null)),

    async write<T>(task: (work: Work) => Promise<T>, request: RequestMark | null = null): Promise<T> {
      const client = await database.connect()
      try {
        await client.query('begin')
        const work = await begin(client, request)
        const result = await task(work)
        await work.finish()
        await client.query('commit')
        client.release()
        return result
      } catch (error) {
        const broken = await client.query('rollback').then(
          () => false,
          () => true,
        )
        client.release(broken)
        throw error
      }
    },
  }
}
