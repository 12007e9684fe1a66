import type { Books } from '../books.ts'
import type { Fault, Key, Quirks } from '../quirks.ts'
import type { createWebhooks } from '../webhooks.ts'

type WebhookQuirks = Pick<Quirks, 'duplicates' | 'spread' | 'drop' | 'delaySeconds'>

/** How the sandbox behaves from now on, until told otherwise. */
export function behaviorControls(books: Books, webhooks: ReturnType<typeof createWebhooks>) {
  const { database, usual } = books

  /** Anything not named stays as it is. */
  async function behave(quirks: Partial<Quirks>) {
    if (quirks.seed !== undefined) await database.query('alter sequence sandbox.draws restart')
    await database.query('update sandbox.settings set mischief = mischief || $1', [JSON.stringify(quirks)])
  }

  return {
    behave,

    behaveAsUsual: () => database.query(`update sandbox.settings set mischief = '{}'`),

    /** The next matching request fails this way; several can queue up. */
    async failNext(...faults: Fault[]) {
      const { quirks } = await books.settings()
      await behave({ faults: [...quirks.faults, ...faults] })
    },

    /** The secret key stops working, loses permissions (`rak_charge_write`), or turns out to be the other mode's. */
    async changeKey(state: Key['state'], without: string[] = []) {
      const { rows } = await database.query<{ newest: string }>(
        'select coalesce(max(seq), 0) as newest from sandbox.objects',
      )
      const key: Key =
        state === 'restricted'
          ? { state, without }
          : state === 'other_mode'
            ? { state, before: Number(rows[0]?.newest ?? 0) }
            : { state }
      await behave({ key })
    },

    webhooks: {
      /** Whatever isn't named is as usual again. */
      misbehave: ({
        duplicates = usual.duplicates,
        spread = usual.spread,
        drop = usual.drop,
        delaySeconds = usual.delaySeconds,
      }: Partial<WebhookQuirks>) => behave({ duplicates, spread, drop, delaySeconds }),
      redeliver: webhooks.redeliver,
      /** Tries everything still waiting for its first delivery, even what is delayed on purpose. */
      flush: webhooks.flush,
    },
  }
}
