import { createHash, randomBytes } from 'node:crypto'

/** A secret that is handed out once: to a browser, or by email. */
export const randomToken = () => randomBytes(32).toString('base64url')

/** What we keep of it: anyone who reads the database cannot use it. */
export const hashToken = (token: string) => createHash('sha256').update(token).digest('base64url')
