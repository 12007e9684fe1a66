/** Bottom up. Anything outside these folders is the app, which may import all of them. */
const layers = ['ui', 'api', 'features', 'app']

/** What a feature offers to others and to the app; its other files are private. */
export const offered = [
  'about/maker.tsx',
  'access-request/access-request-form.tsx',
  'access-request/username-input.tsx',
  'auth/return-path.ts',
  'auth/use-log-out.ts',
  'checkout/address.ts',
  'checkout/card-update-dialog.tsx',
  'checkout/use-returned-card.ts',
  'checkout/use-owned.ts',
  'content/blocks.tsx',
  'content/changelog.ts',
  'content/markdown.ts',
  'dashboard/dashboard-page.tsx',
  'legal/legal-text.tsx',
  'newsletter/mailed-link.tsx',
  'newsletter/newsletter-form.tsx',
  'not-found/not-found-page.tsx',
  'products/rebound-sigma-pro.ts',
  'profile/devices.tsx',
  'profile/profile-dialog.tsx',
  'profile/set-password.tsx',
  'reviews/review-summary.tsx',
  'security/guest-passkey.tsx',
  'showcase/chart-panel.tsx',
  'showcase/example-chart.tsx',
  'showcase/principles.tsx',
  'showcase/sample-data.ts',
].map((file) => `web/features/${file}`)

export const webFeatureOf = (path: string) => /^web\/features\/([^/]+)\//.exec(path)?.[1]

/** `ui` below `api` below `features` below the app; a feature sees only what another one offers. */
export function layerComplaint(from: string, to: string): string | undefined {
  if (!from.startsWith('web/')) return undefined
  if (layerOf(from) === 'ui' && to.startsWith('contract/')) return 'ui knows nothing about the shop'
  if (!to.startsWith('web/')) return undefined
  const [below, above] = [layerOf(from), layerOf(to)]
  if (layers.indexOf(above) > layers.indexOf(below)) return `${below} may not import ${above}`
  // The router lists every page.
  if (below === 'app' && to.endsWith('-page.tsx')) return undefined
  if (webFeatureOf(to) && webFeatureOf(to) !== webFeatureOf(from) && !offered.includes(to))
    return `${webFeatureOf(to)} does not offer it (scripts/checks/web-layers.ts)`
  return undefined
}

function layerOf(path: string): string {
  const folder = path.split('/')[1] ?? ''
  // Fonts are part of how things look.
  if (folder === 'fonts') return 'ui'
  return layers.includes(folder) ? folder : 'app'
}
