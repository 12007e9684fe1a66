import type { Logger } from 'pino'
import type { User } from '../actor.ts'

type Event =
  | 'login'
  | 'login failed'
  | 'login locked'
  | 'guest login'
  | 'session copied'
  | 'wrong password'
  | 'code refused'
  | 'admin call refused'

export type SecurityLog = ReturnType<typeof createSecurityLog>

export const createSecurityLog =
  (log: Pick<Logger, 'info'>) =>
  (event: Event, { user, ip }: { user: Pick<User, 'id'> | null; ip: string }, detail: object = {}) =>
    log.info({ security: event, account: user?.id ?? null, ip, ...detail }, 'security')
