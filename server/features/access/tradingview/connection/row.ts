import { eq } from 'drizzle-orm'
import { tvConnection } from '#server/database/schema.ts'

export type ConnectionRow = typeof tvConnection.$inferSelect

export const onlyRow = eq(tvConnection.id, 1)
/** The sealed cookies belong to this row and open nowhere else. */
export const cookiesOwner = 'tv_connection'
