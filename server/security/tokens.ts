import { createHash, randomBytes } from 'node:crypto'

export const randomToken = () => randomBytes(32).toString('base64url')

/** For storage: useless to a reader of the database. */
export const hashToken = (token: string) => createHash('sha256').update(token).digest('base64url')
