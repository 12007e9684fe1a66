import { and, eq, isNull } from 'drizzle-orm'
import type { ParsedInputOf } from '#contract/endpoint.ts'
import type { accounts } from '#contract/identity/accounts.ts'
import type { Actor, User } from '#server/actor.ts'
import type { Context } from '#server/context.ts'
import { userColumns, users } from '#server/database/schema.ts'
import { conflict, Refusal } from '#server/errors.ts'
import { findKnownDevice, type LoginResult } from '../sessions/sessions.ts'
import type { PasswordLinks } from './passwords.ts'
import { isReservedForUndo, proveAddress } from './proof.ts'

type LoginContext = Pick<
  Context,
  'attempts' | 'db' | 'mails' | 'now' | 'passwordHasher' | 'refuseShopAddress' | 'securityLog'
>

export type Login = {
  register(actor: Actor<null>, account: NewAccount): Promise<LoginResult>
  /** Takes the same time and gives the same answer for unknown addresses and wrong passwords. */
  login(actor: Actor<null>, credentials: Credentials, device: string | undefined): Promise<LoginResult>
  sendConfirmation(actor: Actor): Promise<void>
  /** `choosePassword` is true outside the account's own session, because a stranger may have set the password. */
  confirmAddress(actor: Actor<User | null>, token: string): Promise<{ choosePassword: boolean }>
}

type Credentials = { email: string; password: string }
type NewAccount = ParsedInputOf<typeof accounts.register>

const loginLimit = { requests: 10, seconds: 15 * 60 }
const confirmationLimit = { requests: 5, seconds: 86_400 }

const wrongCredentials = () => new Refusal(401, 'wrong-credentials', 'Invalid email or password')
const emailTaken = () =>
  conflict(
    'account-not-created',
    'Could not create account. If you already have one, log in or use “Forgot password?”.',
  )

export function createLogin(context: LoginContext, passwordLinks: PasswordLinks): Login {
  const { db, now, mails, passwordHasher, attempts, securityLog, refuseShopAddress } = context

  return {
    async register(actor, { password, ...details }) {
      const { email } = details
      passwordHasher.refuseCommon(password, 'password')
      await attempts.countAddressLookup(actor.ip, email)
      const passwordHash = await passwordHasher.hash(password)
      return db.transaction(async (tx): Promise<LoginResult> => {
        if (await isReservedForUndo(tx, email, now())) throw emailTaken()
        const [user] = await tx
          .insert(users)
          .values({ ...details, passwordHash, createdAt: now() })
          .onConflictDoNothing({ target: users.email })
          .returning(userColumns)
        if (!user) throw emailTaken()
        // Checked last, so that the answer does not tell which account is the admin's.
        refuseShopAddress(email)
        // Limited by network: repeated sign-ups by a stranger must not use up the owner's emails.
        if (await attempts.mayMailFrom(tx, 'welcome', actor.ip, email)) {
          const tokenId = await passwordLinks.createLink(tx, user.id, 'firstPassword')
          await mails.send(tx, email, 'welcome', { tokenId })
        }
        return {
          user,
          authentication: {
            userId: user.id,
            passwordHash,
            handedOverAt: null,
            provenBy: 'password',
            refusalIfChanged: wrongCredentials,
          },
        }
      })
    },

    async login(actor, { email, password }, device) {
      const knownDevice = await findKnownDevice(db, email, device)
      await attempts.countOrRefuse('login', email, loginLimit, { device: knownDevice }).catch((error: unknown) => {
        securityLog('login locked', actor)
        throw error
      })
      const [account] = await db
        .select({ passwordHash: users.passwordHash, handedOverAt: users.handedOverAt, user: userColumns })
        .from(users)
        .where(and(eq(users.email, email), isNull(users.deletedAt)))
      const isPasswordCorrect = await passwordHasher.matches(password, account?.passwordHash)
      const caller = { ...actor, user: account?.user ?? null }
      if (!isPasswordCorrect || !account) {
        const passwordReason = account?.passwordHash ? 'wrong password' : 'no password'
        securityLog('login failed', caller, { reason: account ? passwordReason : 'no such account' })
        throw wrongCredentials()
      }
      securityLog('login', caller)
      await attempts.clear('login', email, knownDevice)
      const { user, passwordHash, handedOverAt } = account
      return {
        user,
        authentication: {
          userId: user.id,
          passwordHash,
          handedOverAt,
          provenBy: 'password',
          refusalIfChanged: wrongCredentials,
        },
      }
    },

    async sendConfirmation({ user }) {
      if (user.isProven) return
      await attempts.countOrRefuse('confirmation', user.id, confirmationLimit)
      await db.transaction(async (tx) => {
        const tokenId = await passwordLinks.createLink(tx, user.id, 'firstPassword')
        await mails.send(tx, user.email, 'confirmAddress', { tokenId })
      })
    },

    async confirmAddress(actor, token) {
      return db.transaction(async (tx) => {
        const link = await passwordLinks.findLink(tx, token)
        const { userId } = link
        const [user] = await tx
          .select({ verifiedAt: users.verifiedAt })
          .from(users)
          .where(eq(users.id, userId))
          .for('update')
        if (user?.verifiedAt) return { choosePassword: false }
        if (actor.user?.id !== userId) return { choosePassword: true }
        await link.use()
        await proveAddress(tx, userId, { at: now(), isInOwnSession: true })
        return { choosePassword: false }
      })
    },
  }
}
