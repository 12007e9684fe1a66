import type { contact as contract } from '#contract/contact.ts'
import type { Handlers } from '../../http/mount.ts'
import type { Contact } from './contact.ts'

export const contactRoutes = (contact: Contact): Handlers<typeof contract> => ({
  send: async ({ website, ...message }) => {
    // A machine that fell into the trap hears what people hear.
    if (!website) await contact.send(message)
  },
})
