import { type Preview, tradingViewAdmin } from '#contract/access/tradingview-admin.ts'
import type { ConnectionMode } from '#contract/statuses.ts'
import { call } from '#web/api/client.ts'
import { toastError } from '#web/api/use-call.ts'
import { confirm } from '#web/ui/confirm.tsx'

const people = (count: number) => `${count} ${count === 1 ? 'person' : 'people'}`

/** What would happen, in sentences. */
export function previewText(preview: Preview, mode: ConnectionMode | 'off'): string {
  const { toUnlock, toLock, unknownNames, managedFromNow, strangers, toHandOver } = preview
  const says =
    mode === 'off' || mode === 'dry'
      ? [
          'No one loses access.',
          toHandOver > 0 && `${people(toHandOver)} being added now will wait for you.`,
          mode === 'dry' && `It would add ${people(toUnlock)} and remove ${people(toLock)}.`,
        ]
      : [
          `${people(toUnlock)} will be added.`,
          mode === 'full' ? `${people(toLock)} will be removed.` : 'No one will be removed.',
          unknownNames > 0 && `TradingView doesn’t know the usernames of ${people(unknownNames)}.`,
          managedFromNow > 0 && `${people(managedFromNow)} you unlocked by hand will be managed from now on.`,
          strangers > 0 && `${people(strangers)} this shop never unlocked will be left alone.`,
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
