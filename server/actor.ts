import type * as z from 'zod/mini'
import type { person } from '#contract/fields.ts'
import type { Transaction } from './database/connect.ts'

/** Logged-in caller; `userColumns` in `database/schema/accounts.ts` selects exactly these fields. */
export type User = Omit<z.input<typeof person>, 'mustSetUp'>

/** User and origin of a call; `user` is null without a login. */
export type Actor<Caller extends User | null = User> = {
  user: Caller
  sessionId: string | null
  ip: string
  userAgent: string
  /** True if the role requires a second factor that this session lacks: only its set-up is allowed. */
  mustSetUp: boolean
}

/** Throws a Refusal unless the caller has proven their identity recently (`http/gate.ts`). Within a transaction, pass it. */
export type AssertFresh = (tx?: Transaction) => Promise<void>
