/** Someone with an account, as each of their calls shows them. */
export type User = { id: string; name: string; email: string; isAdmin: boolean; createdAt: Date }

/**
 * Who does something, and from where. `http/mount.ts` makes one for every call; it is the first argument of whatever
 * changes something. `user` is null where nobody needs to be logged in, and nobody is.
 */
export type Actor<Who extends User | null = User> = {
  user: Who
  sessionId: string | null
  ip: string
  userAgent: string
  /** A secret of the browser that has logged in before, with whatever account. */
  device: string | undefined
}
