import { endpoint } from '../endpoint.ts'

export const privatePackage = {
  show: endpoint('GET /api/package', {
    access: 'user',
    summary: 'Links, setup notes, and instructions for owners of Rebound Sigma Pro',
    output: (z) =>
      z.strictObject({
        indicatorUrl: z.string(),
        strategyUrl: z.string(),
        setupNotes: z.array(z.string()),
        quickInstructions: z.array(z.string()),
      }),
  }),
}
