import type { exports as contract } from '#contract/desk/exports.ts'
import type { Handlers } from '#server/http/mount.ts'
import type { Exports } from './exports.ts'

export const exportRoutes = (exports: Exports): Handlers<typeof contract> => ({
  download: async ({ kind }, { actor, reply }) => {
    reply.header('x-estimated-rows', await exports.estimate(kind))
    return exports.download(actor, kind)
  },
})
