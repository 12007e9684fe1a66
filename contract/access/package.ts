import * as z from 'zod/mini'
import { endpoint } from '../endpoint.ts'
import { productChoice } from '../fields.ts'

export const privatePackage = {
  show: endpoint('GET /api/package', {
    summary: 'Links, setup notes, and instructions for owners of a product; of the first one, unless it is named',
    input: productChoice,
    output: z.object({
      indicatorUrl: z.string(),
      strategyUrl: z.string(),
      setupNotes: z.array(z.string()),
      quickInstructions: z.array(z.string()),
    }),
  }),
}
