import { users } from './schema.ts'

/** Someone as each of their calls sees them (`User` in actor.ts). */
export const userColumns = {
  id: users.id,
  name: users.name,
  email: users.email,
  isAdmin: users.isAdmin,
  role: users.role,
  createdAt: users.createdAt,
}
