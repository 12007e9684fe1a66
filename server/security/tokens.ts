import { createHash, randomBytes } from 'node:crypto'

/** A secret that is given away once: to a browser, or by mail. */
export const randomToken = () => randomBytes(32).toString('base64url')

/** What is kept of it: whoever reads the database cannot use what is there. */
export const hashToken = (token: string) => createHash('sha256').update(token).digest('base64url')
