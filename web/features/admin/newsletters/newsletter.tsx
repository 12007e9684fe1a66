import { type AdminNewsletter, newsletters } from '#contract/site/newsletters.ts'
import { useData } from '#web/api/client.ts'
import { useSettings } from '#web/api/settings.tsx'
import { changelogOf } from '#web/features/site/content/changelog.ts'
import { Card, Pending } from '#web/ui/card.tsx'
import { classes } from '#web/ui/classes.ts'
import { useNavigation } from '#web/ui/navigation.tsx'
import { useUnsavedChanges } from '#web/ui/use-unsaved-changes.ts'
import { useProducts } from '../parts/products.tsx'
import { isMissing, RecordNotFound } from '../parts/record.tsx'
import { useRecordTitle } from '../shell/place.ts'
import { Draft } from './draft.tsx'
import { Progress } from './progress.tsx'
import { SendCard } from './send-card.tsx'

const listPath = '/admin/messages/newsletters'

export default function NewsletterScreen({ id }: { id: string }) {
  return <div className="flex flex-col gap-6">{id === 'new' ? <NewDraft /> : <StoredNewsletter id={id} />}</div>
}

function NewDraft() {
  const { search } = useNavigation()
  const products = useProducts()
  const unsaved = useUnsavedChanges()
  // The changelog page links here, to write about one of its entries.
  const entryId = new URLSearchParams(search).get('about')
  const entry = changelogOf(useSettings().products).entries.find(({ id }) => id === entryId)
  return (
    <Draft
      unsaved={unsaved}
      initialContent={{
        subject: entry?.title ?? '',
        preheader: '',
        markdown: entry ? `${entry.markdown}\n\nAll changes: [changelog](/changelog#${entry.id})` : '',
        toSubscribers: !entry,
        buyersOf: entry ? (products[0]?.id ?? null) : null,
      }}
    />
  )
}

const refetchMs: Partial<Record<AdminNewsletter['state'], number>> = { sending: 2000, scheduled: 15_000 }

function StoredNewsletter({ id }: { id: string }) {
  const query = useData(
    newsletters.adminShow,
    { id },
    // Loaded at each visit, because the audience changes.
    { gcTime: 0, refetchInterval: (newsletter) => refetchMs[newsletter?.state ?? 'draft'] ?? false },
  )
  const { data } = query
  const unsaved = useUnsavedChanges()
  useRecordTitle(data?.subject ?? 'Newsletter')
  if (isMissing(query.error))
    return (
      <RecordNotFound
        title="No such newsletter"
        description="Perhaps the draft was deleted."
        list={listPath}
        all="All newsletters"
      />
    )
  if (!data) return <Pending query={query} />
  if (data.state === 'draft')
    return (
      <div className="grid items-start gap-6 xl:grid-cols-2">
        <div className="flex min-w-0 flex-col gap-6">
          <Draft initialContent={data} saved={data} unsaved={unsaved} />
          <SendCard newsletter={data} unsaved={unsaved} />
        </div>
        <div className="min-w-0 xl:sticky xl:top-24">
          <Preview newsletter={data} isBeside />
        </div>
      </div>
    )
  return (
    <>
      <Progress newsletter={data} />
      <Preview newsletter={data} />
    </>
  )
}

const schemes = ['light', 'dark'] as const

function Preview(props: { newsletter: AdminNewsletter; isBeside?: boolean }) {
  const { id, text, updatedAt } = props.newsletter
  const address = newsletters.adminPreview.path.replace(':id', id)
  return (
    <Card className="flex flex-col gap-5">
      <h2 className="text-lg">Preview</h2>
      <div className={classes('grid gap-5', props.isBeside ? 'lg:max-xl:grid-cols-2' : 'lg:grid-cols-2')}>
        {schemes.map((scheme) => (
          <iframe
            // Reloads the frame after a save, because its address stays the same.
            key={scheme + updatedAt}
            title={`Preview, ${scheme} theme`}
            src={`${address}?scheme=${scheme}`}
            sandbox=""
            className="h-96 w-full rounded-md border border-line"
          />
        ))}
      </div>
      <details>
        <summary className="cursor-pointer font-medium">Plain text</summary>
        <pre className="mt-3 overflow-x-auto rounded-md bg-ground p-4 text-sm break-words whitespace-pre-wrap">
          {text}
        </pre>
      </details>
    </Card>
  )
}
