import { type NewsletterShown, newsletters } from '#contract/desk/newsletters.ts'
import { Card } from '#web/ui/card.tsx'

const schemes = ['light', 'dark'] as const

/** What readers get, as it is saved. */
export function Preview({ newsletter: { id, text, updatedAt } }: { newsletter: NewsletterShown }) {
  const address = newsletters.adminPreview.path.replace(':id', id)
  return (
    <Card className="flex flex-col gap-5">
      <h2 className="text-lg">Preview</h2>
      <div className="grid gap-5 lg:grid-cols-2">
        {schemes.map((scheme) => (
          <iframe
            // The address stays the same when a draft is saved again.
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
