import { endpoint } from '../endpoint.ts'
import { id } from '../fields.ts'
import { object } from '../schema.ts'

export const customerData = {
  adminDownload: endpoint('GET /api/admin/users/:id/data', {
    access: 'admin',
    fresh: true,
    summary: 'Everything the shop keeps about one person, and what shares their email address',
    input: object((z) => ({ id: id(z) })),
    output: (z) => z.record(z.string(), z.unknown()),
  }),
}
