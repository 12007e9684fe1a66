import type * as schema from './schema.ts'

/** Each table has one folder that writes to it; the others ask that folder. `npm run check` enforces it. */
export const owners = {
  users: 'features/accounts',
  passwordTokens: 'features/accounts',
  sessions: 'features/sessions',
  knownDevices: 'features/sessions',
  attempts: 'security',
  emailQuestions: 'security',
  checkouts: 'features/checkout',
  orderRecords: 'features/checkout',
  billingDetails: 'features/checkout',
  purchases: 'features/purchases',
  stripeEvents: 'features/purchases',
  stripeEventsPulled: 'features/purchases',
  subscriptionMovements: 'features/overview',
  accessRequests: 'features/access-requests',
  declarations: 'features/declarations',
  recommendedAssets: 'features/assets',
  reviews: 'features/reviews',
  newsletterSubscriptions: 'features/newsletter',
  contactMessages: 'features/contact',
  auditLog: 'features/audit',
} satisfies Record<keyof typeof schema, string>
