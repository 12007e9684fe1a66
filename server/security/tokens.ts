import { createHash, randomBytes } from 'node:crypto'

/** A secret that is handed out once: to a browser, or by email. */
export const randomToken = () => randomBytes(32).toString('base64url')

/** Stored form of a token, which is useless to a reader of the database. */
export const hashToken = (token: string) => createHash('sha256').update(token).digest('base64url')
