import type pg from 'pg'
import type { Quirks } from './quirks.ts'
import { type RequestMark, Work } from './work.ts'

type Settings = { time: number; quirks: Quirks }
export type Books = ReturnType<typeof openBooks>

/** Public form of an object: without internal fields, with addresses for browsers. */
const presenter = (publicUrl: string) => (value: unknown) =>
  JSON.parse(
    JSON.stringify(value, (key, each) => {
      if (key === '$sandbox') return undefined
      const isAddress = key === 'hosted_invoice_url' || key === 'invoice_pdf'
      return isAddress && typeof each === 'string' && each.startsWith('/') ? publicUrl + each : each
    }),
  )

type BooksOptions = {
  publicUrl: string
  usual: Quirks
  /** The types of events that the shop listens to. */
  wanted: string[]
  /** Called with what falls due within the next minute, in seconds from now. */
  onDue: (seconds: number) => void
}

export function openBooks(database: pg.Pool, { publicUrl, usual, wanted, onDue }: BooksOptions) {
  const present = presenter(publicUrl.replace(/\/$/, ''))

  async function settings(connection: Pick<pg.ClientBase, 'query'> = database): Promise<Settings> {
    const { rows } = await connection.query<{ clock_offset: string; mischief: Partial<Quirks> }>(
      'select clock_offset, mischief from sandbox.settings',
    )
    const time = Date.now() / 1000 + Number(rows[0]?.clock_offset ?? 0)
    return { time, quirks: { ...usual, ...rows[0]?.mischief } }
  }

  async function begin(connection: Pick<pg.ClientBase, 'query'>, request: RequestMark | null, known?: Settings) {
    const { quirks, time } = known ?? (await settings(connection))
    return new Work({ database: connection, present, request, quirks, time, wanted })
  }

  return {
    database,
    present,
    usual,
    settings,

    read: async <T>(task: (work: Work) => Promise<T>, known?: Settings) => task(await begin(database, null, known)),

    async write<T>(task: (work: Work) => Promise<T>, request: RequestMark | null = null, known?: Settings): Promise<T> {
      const client = await database.connect()
      try {
        await client.query('begin')
        const work = await begin(client, request, known)
        const result = await task(work)
        await work.finish()
        await client.query('commit')
        client.release()
        if (work.dueSoon < 60) onDue(work.dueSoon)
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
