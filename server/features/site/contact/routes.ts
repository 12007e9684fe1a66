import type { contact as contract } from '#contract/site/contact.ts'
import type { messages } from '#contract/site/messages.ts'
import type { Handlers } from '#server/http/mount.ts'
import type { Contact } from './contact.ts'

export const contactRoutes = (contact: Contact): Handlers<typeof contract> => ({
  send: async ({ website, ...message }, { actor }) => {
    // A bot caught by the honeypot gets the same answer as a person.
    if (!website) await contact.send(actor, message)
  },
})

export const messageRoutes = (contact: Contact): Handlers<typeof messages> => ({
  adminList: (wanted) => contact.list(wanted),
  adminReply: ({ id, answer }, { actor }) => contact.reply(actor, id, answer),
  adminSettle: ({ id, state }, { actor }) => contact.settle(actor, id, state),
})
