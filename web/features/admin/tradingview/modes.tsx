import { type Preview, type TradingViewConnection, tradingViewAdmin } from '#contract/access/tradingview-admin.ts'
import { countDefinitions } from '#contract/admin/figure-definitions.ts'
import { type ConnectionMode, connectionModes } from '#contract/statuses.ts'
import { call, useData } from '#web/api/client.ts'
import { toastError, useCall } from '#web/api/use-call.ts'
import { Card, Skeleton } from '#web/ui/card.tsx'
import { Checkbox } from '#web/ui/checkbox.tsx'
import { confirm } from '#web/ui/confirm.tsx'
import { Time } from '#web/ui/time.tsx'
import { formatPeople } from '../parts/count.ts'
import { Section } from '../parts/section.tsx'

const modeTexts: Record<ConnectionMode, { title: string; text: string }> = {
  full: { title: 'Add and remove people', text: 'Adds buyers and removes them when they no longer pay.' },
  grant: { title: 'Add only', text: 'Adds buyers. You remove people by hand.' },
  dry: { title: 'Dry run', text: 'Changes nothing; only shows what it would do. You do all of it by hand.' },
}

export function Modes({ connection }: { connection: TradingViewConnection }) {
  const settings = useCall(tradingViewAdmin.settings, { failed: 'Failed to change the connection', succeeded: 'Saved' })
  async function confirmAndSwitch(mode: ConnectionMode) {
    if (mode === connection.mode) return
    const isConfirmed = await confirmSwitch(mode, { title: `Switch to “${modeTexts[mode].title}”`, action: 'Switch' })
    if (isConfirmed) settings.mutate({ mode })
  }
  return (
    <Section title="What it does">
      {connection.isReadOnly && (
        <p className="text-sm text-muted">
          Test mode: the connection reads your lists and says whom it would unlock. It writes nothing until you sell.
        </p>
      )}
      <fieldset className="grid min-w-0 gap-3 md:grid-cols-3">
        <legend className="sr-only">What the connection may do</legend>
        {connectionModes.toReversed().map((mode) => (
          <label
            key={mode}
            className="grid cursor-pointer grid-cols-[auto_1fr] content-start gap-x-3 rounded-lg border border-line bg-surface p-4 shadow-card has-checked:border-accent has-focus-visible:outline-2 has-focus-visible:outline-accent"
          >
            <input
              type="radio"
              name="mode"
              className="mt-1 size-4.5 shrink-0 accent-accent"
              checked={mode === connection.mode}
              disabled={connection.isReadOnly && mode !== 'dry'}
              onChange={() => void confirmAndSwitch(mode)}
            />
            <span className="font-medium">{modeTexts[mode].title}</span>
            <span className="col-start-2 text-sm text-muted">{modeTexts[mode].text}</span>
          </label>
        ))}
      </fieldset>
      <Checkbox
        label="During a dispute, keep access but don’t extend it"
        checked={connection.freezesAccessDuringDispute}
        onTick={(isOn) => settings.mutate({ freezesAccessDuringDispute: isOn })}
      />
    </Section>
  )
}

export function previewText(preview: Preview, mode: ConnectionMode | 'off'): string {
  const sentences =
    mode === 'full' || mode === 'grant' ? describeChanges(preview, mode) : describeWaiting(preview, mode)
  return sentences.join(' ')
}

/** Modes in which the connection changes TradingView's lists. */
function describeChanges(preview: Preview, mode: 'full' | 'grant'): string[] {
  const { toUnlock, toLock, unknownNames, managedFromNow, strangers } = preview
  const removesPeople = mode === 'full' && toLock > 0
  const sentences = [
    toUnlock > 0 ? `${formatPeople(toUnlock)} will be added.` : 'No one will be added.',
    removesPeople ? `${formatPeople(toLock)} will be removed.` : 'No one will be removed.',
  ]
  if (unknownNames > 0) sentences.push(`We can’t find the usernames of ${formatPeople(unknownNames)} on TradingView.`)
  if (managedFromNow > 0)
    sentences.push(`${formatPeople(managedFromNow)} you unlocked by hand will be managed from now on.`)
  if (strangers > 0) sentences.push(`${formatPeople(strangers)} this shop never unlocked will be left alone.`)
  return sentences
}

/** Modes in which the seller changes TradingView's lists by hand. */
function describeWaiting({ toUnlock, toLock, toHandOver }: Preview, mode: 'dry' | 'off'): string[] {
  const sentences = ['No one loses access.']
  if (toHandOver > 0) sentences.push(`${formatPeople(toHandOver)} being added now will wait for you.`)
  if (mode === 'dry') sentences.push(`It would add ${formatPeople(toUnlock)} and remove ${formatPeople(toLock)}.`)
  return sentences
}

/** Shows what would happen, and returns true if the seller confirms. `also` is added to the description. */
export async function confirmSwitch(
  mode: ConnectionMode | 'off',
  question: { title: string; action: string; destructive?: boolean; also?: string },
) {
  const { also, ...dialog } = question
  try {
    const preview = await call(tradingViewAdmin.preview, {})
    return await confirm({ ...dialog, description: [previewText(preview, mode), also].filter(Boolean).join(' ') })
  } catch (error) {
    toastError('Failed to find out what would happen', error)
    return false
  }
}

export function PeopleForecast() {
  const { data } = useData(tradingViewAdmin.meter, {})
  if (!data) return <Skeleton className="h-20 rounded-lg" />
  const { people: peopleCount, foreign, lastDay, forecast, endBefore, newAtThisPace, level } = data
  return (
    <Section title={countDefinitions.withAccess.title} hint={countDefinitions.withAccess.meaning}>
      <Card className="flex flex-col gap-4">
        <p>
          <strong>{formatPeople(peopleCount)}</strong> · About {forecast} by <Time value={lastDay} /> ({endBefore}{' '}
          ending, {newAtThisPace} new)
          {foreign > 0 && ` · ${foreign} added by hand`}
        </p>
        {level !== 'calm' && (
          <p className={level === 'full' ? 'font-medium text-danger' : 'font-medium text-warning'}>
            TradingView may charge per person above 100 at month’s end. Check section 22A of your vendor terms.
          </p>
        )}
      </Card>
    </Section>
  )
}
