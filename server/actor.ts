/** Someone with an account, as seen by each of their calls. */
export type User = { id: string; name: string; email: string; isAdmin: boolean; createdAt: Date }

/**
 * Who is acting, and from where. `http/mount.ts` makes one for every call; it is the first argument of everything
 * that changes something. `user` is null when the call needs no login and there is none.
 */
export type Actor<Who extends User | null = User> = {
  user: Who
  sessionId: string | null
  ip: string
  userAgent: string
  /** A secret kept by a browser that has logged in before, to whichever account. */
  device: string | undefined
}
