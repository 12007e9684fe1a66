import * as z from 'zod/mini'
import { endpoint } from '../endpoint.ts'

export const exportKind = z.enum(['buyers', 'orders', 'forms'])
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
