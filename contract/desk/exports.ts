import * as z from 'zod/mini'
import { endpoint } from '../endpoint.ts'

export const exportKind = z.enum(['buyers', 'orders', 'forms'])
/** How the name of a file begins; people call a form an access request. */
export const exportFileName = (kind: string) => (kind === 'forms' ? 'access-requests' : kind)
export type ExportKind = z.infer<typeof exportKind>

export const exports = {
  download: endpoint('GET /api/admin/export/:kind', {
    access: 'people.manage',
    fresh: true,
    summary: 'Buyers, orders, or access requests (forms) as a CSV file',
    input: z.strictObject({ kind: exportKind }),
    answer: 'csv',
  }),
}
