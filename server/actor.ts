import type * as z from 'zod/mini'
import type { person } from '#contract/fields.ts'

/** The caller, as every call knows them. `userColumns` of the schema reads the fields. */
export type User = Omit<z.input<typeof person>, 'mustSetUp'>

/** User and origin of a call; the first argument of functions that change state. `user` is null without a login. */
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
