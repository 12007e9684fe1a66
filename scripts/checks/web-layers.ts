/** From the bottom up. Everything outside the first three folders is the app. */
const layers = ['ui', 'api', 'features', 'app']

/** Files that a feature offers to others and to the app; its other files are private. */
export const offered = [
  'site/about/maker.tsx',
  'access/access-form/access-request-form.tsx',
  'access/access-form/access-state.tsx',
  'access/access-form/open-indicator.tsx',
  'access/access-form/username-dialog.tsx',
  'selling/invoices/billing-dialog.tsx',
  'selling/invoices/invoices.ts',
  'selling/invoices/invoices-dialog.tsx',
  'selling/sample-chart/sample-chart.tsx',
  'selling/sample-chart/sample-data.ts',
  'selling/subscriptions/failed-payment.tsx',
  'selling/subscriptions/my-products.tsx',
  'selling/subscriptions/use-purchases.ts',
  'selling/checkout/until-done.ts',
  'selling/checkout/username-input.tsx',
  'admin/screens.ts',
  'identity/sign-in/return-path.ts',
  'identity/sign-in/use-log-out.ts',
  'selling/checkout/address.ts',
  'selling/checkout/card-update-dialog.tsx',
  'selling/checkout/switch-dialog.tsx',
  'selling/checkout/use-bank-confirmation.ts',
  'selling/checkout/use-returned-card.ts',
  'selling/checkout/use-owned.ts',
  'site/content/changelog.ts',
  'access/dashboard/dashboard-page.tsx',
  'site/legal/legal-text.tsx',
  'site/newsletter/newsletter-form.tsx',
  'not-found/not-found.tsx',
  'identity/account/profile-dialog.tsx',
  'site/reviews/review-summary.tsx',
  'identity/account/keep-access.tsx',
  'identity/account/use-confirmation.ts',
  'site/showcase/figure.tsx',
  'site/showcase/figures-line.tsx',
  'site/showcase/hero-top.tsx',
  'site/showcase/principles.tsx',
].map((file) => `web/features/${file}`)

export const webFeatureOf = (path: string) => /^web\/features\/(admin|not-found|\w+\/[^/]+)\//.exec(path)?.[1]

export function layerComplaint(from: string, to: string): string | undefined {
  if (!from.startsWith('web/')) return undefined
  // Allows `contract/markdown`, which knows nothing about the shop.
  if (layerOf(from) === 'ui' && /^contract\/(?!markdown)/.test(to)) return 'ui knows nothing about the shop'
  if (!to.startsWith('web/')) return undefined
  const [fromLayer, toLayer] = [layerOf(from), layerOf(to)]
  if (layers.indexOf(toLayer) > layers.indexOf(fromLayer)) return `${fromLayer} may not import ${toLayer}`
  // The router lists every page.
  if (fromLayer === 'app' && to.endsWith('-page.tsx')) return undefined
  if (webFeatureOf(to) && webFeatureOf(to) !== webFeatureOf(from) && !offered.includes(to))
    return `${webFeatureOf(to)} does not offer it (scripts/checks/web-layers.ts)`
  return undefined
}

function layerOf(path: string): string {
  const folder = path.split('/')[1] ?? ''
  // Counts `web/fonts` as part of `ui`.
  if (folder === 'fonts') return 'ui'
  return layers.includes(folder) ? folder : 'app'
}
