import { type Stranger, tradingViewAdmin } from '#contract/access/tradingview-admin.ts'
import { useCall } from '#web/api/use-call.ts'
import { Button } from '#web/ui/button.tsx'
import { EmptyState } from '#web/ui/card.tsx'
import { ask } from '#web/ui/confirm.tsx'
import { Cell } from '#web/ui/table.tsx'
import { Time } from '#web/ui/time.tsx'
import { hiddenActions, RecordTable } from '../lists/record-table.tsx'
import { usePages } from '../lists/use-pages.ts'
import { Section } from '../parts/section.tsx'
import { refreshes } from './refreshes.ts'

/** Who is on the lists although this shop never put them there. */
export function Strangers() {
  const query = usePages(tradingViewAdmin.strangers, {})
  const remove = useCall(tradingViewAdmin.removeStranger, {
    refreshes,
    failed: 'Failed to remove',
    succeeded: 'Removed on TradingView',
  })
  function askAndRemove({ id, username, script }: Stranger) {
    const description = `Remove ${username} from ${script}? No active subscription.`
    const question = { title: 'Remove on TradingView', description, action: 'Remove', destructive: true }
    ask(question, () => remove.mutate({ id }))
  }
  return (
    <Section
      title="Added by hand"
      hint="People on your lists whom this shop didn’t add. It never removes them by itself."
    >
      <RecordTable
        label="People added by hand"
        noun={['person', 'people']}
        columns={['Username', 'Script', 'Until', hiddenActions]}
        query={query}
        empty={<EmptyState title="No one" />}
        renderRow={(stranger) => (
          <>
            <Cell className="font-mono font-medium break-all">{stranger.username}</Cell>
            <Cell label="Script">{stranger.script}</Cell>
            <Cell label="Until" className="whitespace-nowrap">
              {stranger.until ? <Time value={stranger.until} /> : 'no end'}
            </Cell>
            <Cell className="py-1.5 text-right">
              <Button
                variant="ghost"
                size="sm"
                disabled={remove.isPending}
                onClick={() => askAndRemove(stranger)}
              >
                Remove<span className="sr-only"> {stranger.username}</span>
              </Button>
            </Cell>
          </>
        )}
      />
    </Section>
  )
}
