import { type Preview, tradingViewAdmin } from '#contract/access/tradingview-admin.ts'
import type { ConnectionMode } from '#contract/statuses.ts'
import { call } from '#web/api/client.ts'
import { toastError } from '#web/api/use-call.ts'
import { confirm } from '#web/ui/confirm.tsx'

const people = (count: number, verb: [string, string]) =>
  `${count} ${count === 1 ? 'person' : 'people'} ${verb[count === 1 ? 0 : 1]}`

/** What would happen, in sentences; only what is more than nothing is said, except for the first. */
export function previewText(preview: Preview, mode: ConnectionMode | 'off'): string {
  const { toUnlock, toLock, unknownNames, managedFromNow, strangers, toHandOver } = preview
  const says: (string | false)[] =
    mode === 'off' || mode === 'dry'
      ? [
          'No one loses access.',
          toHandOver > 0 && `${people(toHandOver, ['is', 'are'])} being added now and will wait for you.`,
          mode === 'dry' &&
            `It would add ${people(toUnlock, ['', '']).trim()} and remove ${people(toLock, ['', '']).trim()}.`,
        ]
      : [
          `${people(toUnlock, ['is', 'are'])} added.`,
          mode === 'full' ? `${people(toLock, ['is', 'are'])} removed.` : 'No one is removed.',
          unknownNames > 0 &&
            `${unknownNames} ${unknownNames === 1 ? 'username isn’t' : 'usernames aren’t'} known to TradingView.`,
          managedFromNow > 0 &&
            `${people(managedFromNow, ['whom you unlocked by hand is', 'whom you unlocked by hand are'])} managed from now on.`,
          strangers > 0 &&
            `${people(strangers, ['whom this shop never unlocked is', 'whom this shop never unlocked are'])} left alone.`,
        ]
  return says.filter(Boolean).join(' ')
}

/** Says what a switch would do, and asks whether to. */
export async function confirmSwitch(
  mode: ConnectionMode | 'off',
  question: { title: string; action: string; destructive?: boolean; also?: string },
) {
  const { also, ...rest } = question
  try {
    const preview = await call(tradingViewAdmin.preview, {})
    return await confirm({
      ...rest,
      description: [previewText(preview, mode), also].filter(Boolean).join(' '),
    })
  } catch (error) {
    toastError('Failed to find out what would happen', error)
    return false
  }
}
