import { Rss } from 'lucide-react'
import { useCan } from '#web/api/session.ts'
import { useSettings } from '#web/api/settings.tsx'
import { LegalText } from '#web/features/site/legal/legal-text.tsx'
import { Blocks } from '#web/ui/blocks.tsx'
import { Day } from '#web/ui/day.tsx'
import { Link } from '#web/ui/navigation.tsx'
import { changelogOf } from './changelog.ts'

export default function ChangelogPage() {
  const changelog = changelogOf(useSettings().products)
  return (
    <LegalText
      title={changelog.title}
      lead={changelog.lead}
      aside={
        <a
          href="/changelog.xml"
          className="inline-flex items-center gap-2 self-start text-sm font-medium text-ink underline decoration-field underline-offset-4 hover:decoration-ink"
        >
          <Rss aria-hidden="true" className="size-4" />
          Follow by RSS
        </a>
      }
      sections={changelog.entries.map(({ id, date, title, blocks }) => ({
        id,
        title,
        content: (
          <>
            {date && (
              <p className="text-sm">
                <Day value={date} />
              </p>
            )}
            <Blocks blocks={blocks} />
            <WriteToBuyers id={id} />
          </>
        ),
      }))}
    />
  )
}

function WriteToBuyers({ id }: { id: string }) {
  return (
    useCan()('content.write') && (
      <p>
        <Link href={`/admin/messages/newsletters/new?about=${id}`}>Write to buyers</Link>
      </p>
    )
  )
}
