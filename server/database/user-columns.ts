import { sql } from 'drizzle-orm'
import { users } from './schema.ts'

/** Someone as each of their calls sees them (`User` in actor.ts). */
export const userColumns = {
  id: users.id,
  name: users.name,
  email: users.email,
  isAdmin: users.isAdmin,
  role: users.role,
  isProven: sql<boolean>`${users.verifiedAt} is not null`.as('is_proven'),
  createdAt: users.createdAt,
}
