import type { settings as contract } from '#contract/desk/settings.ts'
import { Refusal } from '#server/errors.ts'
import type { Handlers } from '#server/http/mount.ts'
import type { Mails } from '#server/mails/mails.ts'
import type { ShopSettings } from './settings.ts'

type Dependencies = {
  settings: ShopSettings
  mails: Pick<Mails, 'test'>
  mailsGoTo: string
  /** Pages show the settings. */
  pages: { refresh(): Promise<void> }
}

export const settingsRoutes = ({
  settings,
  mails,
  mailsGoTo,
  pages,
}: Dependencies): Handlers<typeof contract> => ({
  adminShow: () => settings.show(mailsGoTo),

  async adminSave(changes, { actor }) {
    await settings.save(actor, changes)
    await pages.refresh()
  },

  async adminSavePhoto({ photo }, { actor }) {
    await settings.savePhoto(actor, photo)
    await pages.refresh()
  },

  async adminTestMail(_input, { actor }) {
    const to = actor.user.email
    try {
      await mails.test(to, 'mailTest', {})
    } catch (error) {
      throw new Refusal(
        502,
        'mail-refused',
        `The mail server refused it: ${error instanceof Error ? error.message : String(error)}`,
      )
    }
    return { to }
  },
})
