import { endpoint, nothing } from '../endpoint.ts'

export const privatePackage = {
  show: endpoint({
    method: 'GET',
    path: '/api/package',
    access: 'user',
    summary: 'Links, setup notes, and instructions for owners of Rebound Sigma Pro',
    input: nothing,
    output: (z) =>
      z.strictObject({
        indicatorUrl: z.string(),
        strategyUrl: z.string(),
        setupNotes: z.array(z.string()),
        quickInstructions: z.array(z.string()),
      }),
  }),
}
