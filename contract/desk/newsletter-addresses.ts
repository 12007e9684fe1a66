import { endpoint } from '../endpoint.ts'
import { id, instant, paging } from '../fields.ts'
import { object } from '../schema.ts'
import { newsletterStates } from '../statuses.ts'

/** Apart from the newsletter's own calls, which every page loads. */
const address = object((z) => ({
  id: id(z),
  email: z.string(),
  state: z.enum(newsletterStates),
  createdAt: instant(z),
  confirmedAt: z.nullable(instant(z)),
  unsubscribedAt: z.nullable(instant(z)),
}))

export const newsletterAddresses = {
  adminList: endpoint('GET /api/admin/newsletter', {
    summary: 'Who signed up for the newsletter, newest first',
    input: object((z) => ({ ...paging(z), state: z.optional(z.enum(newsletterStates)) })),
    output: (z) => z.array(address(z)),
    answer: 'list',
  }),
  adminExport: endpoint('GET /api/admin/newsletter/export', {
    fresh: true,
    summary: 'Newsletter addresses as a CSV file, all of them or those in one state',
    input: object((z) => ({ state: z.optional(z.enum(newsletterStates)) })),
    answer: 'csv',
  }),
}
