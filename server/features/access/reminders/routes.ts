import type { reminders as contract } from '#contract/access/reminders.ts'
import type { Handlers } from '#server/http/mount.ts'
import type { Reminders } from './reminders.ts'

export const reminderRoutes = (reminders: Reminders): Handlers<typeof contract> => ({
  adminCount: async () => ({ due: await reminders.count() }),
  adminSend: async (_input, { actor }) => ({ queued: await reminders.send(actor) }),
})
