import type { NewsletterShown } from '#contract/desk/newsletters.ts'
import { Badge } from '#web/ui/notice.tsx'

const tones = {
  draft: 'neutral',
  scheduled: 'warning',
  sending: 'warning',
  paused: 'bad',
  stopped: 'neutral',
  sent: 'good',
} as const

export function StateBadge({ state, counts }: Pick<NewsletterShown, 'state' | 'counts'>) {
  const doubt = state !== 'draft' && counts.uncertain > 0 && `, ${counts.uncertain} uncertain`
  return (
    <Badge tone={tones[state]}>
      {state}
      {doubt}
    </Badge>
  )
}
