import type { contact as contract } from '#contract/contact.ts'
import type { Handlers } from '../../http/mount.ts'
import type { Contact } from './contact.ts'

export const contactRoutes = (contact: Contact): Handlers<typeof contract> => ({
  send: async ({ website, ...message }) => {
    // A bot caught by the honeypot gets the same answer as a person.
    if (!website) await contact.send(message)
  },
})
