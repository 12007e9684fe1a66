import { endpoint } from '../endpoint.ts'

export const customerData = {
  adminDownload: endpoint('GET /api/admin/users/:id/data', {
    access: 'admin',
    fresh: true,
    summary: 'Everything the shop keeps about one person, and what shares their email address',
    output: (z) => z.record(z.string(), z.unknown()),
  }),
}
