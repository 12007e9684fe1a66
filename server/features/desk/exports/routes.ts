import type { exports as contract } from '#contract/desk/exports.ts'
import type { newsletterAddresses as addresses } from '#contract/desk/newsletter-addresses.ts'
import type { Newsletter } from '#server/features/site/newsletter/newsletter.ts'
import type { Handlers } from '#server/http/mount.ts'
import type { Exports } from './exports.ts'

export const exportRoutes = (exports: Exports): Handlers<typeof contract> => ({
  download: async ({ kind }, { actor, reply }) => {
    reply.header('x-estimated-rows', await exports.estimate(kind))
    return exports.download(actor, kind)
  },
})

export const newsletterAddressRoutes = (
  newsletter: Newsletter,
  exports: Exports,
): Handlers<typeof addresses> => ({
  adminList: (wanted) => newsletter.list(wanted),
  adminExport: async ({ state }, { actor, reply }) => {
    reply.header('x-estimated-rows', await exports.estimate('newsletter'))
    return exports.download(actor, 'newsletter', state)
  },
})
