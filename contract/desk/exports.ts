import { endpoint } from '../endpoint.ts'
import { type InferOutput, object, schema } from '../schema.ts'

export const exportKind = schema((z) => z.enum(['buyers', 'orders', 'forms']))
export type ExportKind = InferOutput<typeof exportKind>

export const exports = {
  download: endpoint('GET /api/admin/export/:kind', {
    fresh: true,
    summary: 'Buyers, orders, or access requests (forms) as a CSV file',
    input: object((z) => ({ kind: exportKind(z) })),
    answer: 'csv',
  }),
}
