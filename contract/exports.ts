import * as z from 'zod/mini'
import { endpoint, nothing } from './endpoint.ts'

export const exportKind = z.enum(['buyers', 'orders', 'forms'])
export type ExportKind = z.output<typeof exportKind>

export const exports = {
  download: endpoint({
    method: 'GET',
    path: '/api/admin/export/:kind',
    access: 'admin',
    summary: 'Buyers, orders or access requests (forms) as a CSV file',
    input: z.strictObject({ kind: exportKind }),
    output: nothing,
    answer: 'csv',
  }),
}
