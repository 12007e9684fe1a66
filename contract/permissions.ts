export const permissions = [
  /** Find customers, and see their purchases, emails and dashboard. */
  'customers.read',
  /** Answer messages, write notes, send an email or a password link again. */
  'customers.help',
  /** Give, decline and remove access to the indicator. */
  'access.decide',
  /** Connect TradingView, change usernames, reveal exchange keys. */
  'access.manage',
  /** Cancel at the end of the paid period. */
  'purchases.cancel',
  /** Book, end at once, resume, extend, delete, import, take over from Stripe. */
  'purchases.manage',
  /** Refund, and decide about declarations, disputes and failed payments. */
  'money.refund',
  'payments.read',
  'figures.read',
  /** Prices and discount codes. */
  'offer.write',
  /** Recommended tickers, reviews, newsletters, service messages. */
  'content.write',
  /** Add and delete people, give roles, read the audit log, export personal data. */
  'people.manage',
  'settings.write',
] as const
export type Permission = (typeof permissions)[number]

export const isPermission = (value: string): value is Permission =>
  permissions.some((permission) => permission === value)

/** Admins have `isAdmin` and every permission; anyone else on the staff has a role. */
export const roles = ['support', 'accountant'] as const
export type Role = (typeof roles)[number]

export const roleTexts: Record<Role, string> = { support: 'Support', accountant: 'Accountant' }

const permissionsOf: Record<Role, readonly Permission[]> = {
  support: ['customers.read', 'customers.help', 'access.decide', 'purchases.cancel'],
  accountant: ['payments.read'],
}

type StaffRole = { isAdmin: boolean; role: Role | null }

export const isStaff = ({ isAdmin, role }: StaffRole) => isAdmin || role !== null

export const hasPermission = ({ isAdmin, role }: StaffRole, permission: Permission) =>
  isAdmin || (role !== null && permissionsOf[role].includes(permission))
