import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { crashingShop, crashMany } from '#server/testing/crashes.ts'
import { concurrently } from '../lab/concurrently.ts'
import { bundled } from './bundle.ts'
import { details, type Row } from './row.ts'

export const kills: Row = {
  name: 'kills around every commit',
  isTested: true,
  async run({ shop, lab, limits: { kills: limit } }) {
    await shop.stop()
    const entry = bundled(crashingShop)
    // Several shops at once, each on its own database: a single one leaves half the machine idle.
    const outcomes = await concurrently(limit.shops, async () =>
      crashMany(
        {
          databaseUrl: await lab.createDatabase(),
          dataDir: mkdtempSync(join(shop.dataDir, 'killed-')),
          entry,
        },
        limit.killsEach,
      ),
    )
    const sum = (key: 'kills' | 'payments' | 'paidBack' | 'mails' | 'lost' | 'doubled') =>
      outcomes.reduce((total, outcome) => total + outcome[key], 0)
    const complaints = outcomes.flatMap((outcome) => outcome.complaints)
    return {
      ok:
        sum('kills') === limit.shops * limit.killsEach &&
        complaints.length === 0 &&
        sum('lost') === 0 &&
        sum('doubled') === 0 &&
        sum('payments') > 0,
      figures: `${sum('kills')} kills: ${sum('payments')} payments (${sum('paidBack')} of them duplicates, refunded), ${sum('mails')} emails, ${sum('lost')} lost, ${sum('doubled')} duplicated${details(complaints)}`,
    }
  },
}
