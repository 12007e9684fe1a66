/** Apart from the other lists (statuses.ts offers it, too), because every page needs it and most need none of those. */

/** What someone may do besides what every user may. Admins have `isAdmin` instead, which includes all of it. */
export const roles = ['support'] as const
export type Role = (typeof roles)[number]
export const isStaff = (user: { isAdmin: boolean; role: Role | null }) => user.isAdmin || user.role !== null
