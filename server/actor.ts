import type { Role } from '#contract/permissions.ts'

export type User = {
  id: string
  name: string
  email: string
  isAdmin: boolean
  role: Role | null
  /** Whether an emailed link has shown that the address is theirs, or an admin vouched for it. */
  isProven: boolean
  createdAt: Date
}

/** Who is acting, and from where: the first argument of everything that changes something. `user` is null without a login. */
export type Actor<Who extends User | null = User> = {
  user: Who
  sessionId: string | null
  ip: string
  userAgent: string
  /** A secret kept by a browser that has logged in before, to whichever account. */
  device: string | undefined
  /** A second step is required of them, and this session had none: nothing but the set-up is open to it. */
  mustSetUp: boolean
}

/** Throws a Refusal unless the caller has shown who they are recently (`http/gate.ts`). */
export type AssertFresh = () => Promise<void>
