import type pg from 'pg'
import type { Quirks } from './quirks.ts'
import { type EventRequest, Work } from './work.ts'

type Settings = { time: number; quirks: Quirks }
export type Books = ReturnType<typeof openBooks>

/** Removes internal fields and makes URLs absolute. */
const createPresenter = (publicUrl: string) => (value: unknown) =>
  JSON.parse(
    JSON.stringify(value, (key, field) => {
      if (key === '$sandbox') return undefined
      const isAddress = key === 'hosted_invoice_url' || key === 'invoice_pdf'
      return isAddress && typeof field === 'string' && field.startsWith('/') ? publicUrl + field : field
    }),
  )

type BooksOptions = {
  publicUrl: string
  defaults: Quirks
  /** `*` is all. */
  subscribedEvents: string[]
  onDue: (seconds: number) => void
}

export function openBooks(database: pg.Pool, { publicUrl, defaults, subscribedEvents, onDue }: BooksOptions) {
  const present = createPresenter(publicUrl.replace(/\/$/, ''))

  async function readSettings(connection: Pick<pg.ClientBase, 'query'> = database): Promise<Settings> {
    const { rows } = await connection.query<{ clock_offset: string; changedQuirks: Partial<Quirks> }>(
      'select clock_offset, quirks as "changedQuirks" from sandbox.settings',
    )
    const time = Date.now() / 1000 + Number(rows[0]?.clock_offset ?? 0)
    return { time, quirks: { ...defaults, ...rows[0]?.changedQuirks } }
  }

  async function createWork(
    connection: Pick<pg.ClientBase, 'query'>,
    request: EventRequest | null,
    settings?: Settings,
  ) {
    const { quirks, time } = settings ?? (await readSettings(connection))
    return new Work({ database: connection, present, request, quirks, time, subscribedEvents })
  }

  return {
    database,
    present,
    defaults,
    readSettings,

    /** Reads without a transaction; pass `settings` if they have just been read. */
    read: async <T>(task: (work: Work) => Promise<T>, settings?: Settings) =>
      task(await createWork(database, null, settings)),

    /** The transaction also stores the task's events. */
    async write<T>(
      task: (work: Work) => Promise<T>,
      request: EventRequest | null = null,
      settings?: Settings,
    ): Promise<T> {
      const client = await database.connect()
      try {
        await client.query('begin')
        const work = await createWork(client, request, settings)
        const result = await task(work)
        await work.storeEvents()
        await client.query('commit')
        client.release()
        if (work.secondsUntilDue < 60) onDue(work.secondsUntilDue)
        return result
      } catch (error) {
        const isBroken = await client.query('rollback').then(
          () => false,
          () => true,
        )
        // `release(true)` closes a connection that could not roll back.
        client.release(isBroken)
        throw error
      }
    },
  }
}
