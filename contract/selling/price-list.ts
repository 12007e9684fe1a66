/** What we sell. */
export const reboundSigmaPro = {
  id: '5b8f9a52-6d0e-4a53-9a3c-2f1f6f7f0c01',
  name: 'Rebound Sigma Pro',
  slug: 'rebound-sigma-pro',
} as const

export const products = [reboundSigmaPro]
