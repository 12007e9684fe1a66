import { Bold, Heading2, Link as LinkIcon, type LucideIcon } from 'lucide-react'
import { type RefObject, useState } from 'react'
import { recentChangeDays } from '#contract/access/assets.ts'
import { assetsAdmin } from '#contract/access/assets-admin.ts'
import { dayMs } from '#contract/dates.ts'
import { codes } from '#contract/selling/codes.ts'
import { useData } from '#web/api/client.ts'
import { useSettings } from '#web/api/settings.tsx'
import { changelogOf } from '#web/features/site/content/changelog.ts'
import { Button } from '#web/ui/button.tsx'
import { Select } from '#web/ui/input.tsx'
import { toast } from '#web/ui/toast.tsx'

type FieldRef = RefObject<HTMLDivElement | null>

/** Replaces the selected text. Uses the browser's editing command, so that the browser's Undo works. */
function insertText(field: FieldRef, textFor: (selected: string) => string) {
  const textarea = field.current?.querySelector('textarea')
  if (!textarea) return
  const selected = textarea.value.slice(textarea.selectionStart, textarea.selectionEnd)
  textarea.focus()
  document.execCommand('insertText', false, textFor(selected))
}

const formatTools: { title: string; icon: LucideIcon; write: (selected: string) => string }[] = [
  { title: 'Bold', icon: Bold, write: (selected) => `**${selected || 'bold'}**` },
  { title: 'Heading', icon: Heading2, write: (selected) => `\n## ${selected || 'Heading'}\n\n` },
  { title: 'Link', icon: LinkIcon, write: (selected) => `[${selected || 'text'}](https://)` },
]

export function TextTools({ field }: { field: FieldRef }) {
  const blocks = useBlocks()
  return (
    <div className="flex flex-wrap items-center gap-2">
      {formatTools.map(({ title, icon: Icon, write }) => (
        <Button
          key={title}
          variant="secondary"
          size="icon"
          aria-label={title}
          title={title}
          onClick={() => insertText(field, write)}
        >
          <Icon className="size-4" />
        </Button>
      ))}
      {blocks.length > 0 && (
        <div className="w-44">
          <Select
            aria-label="Insert"
            value=""
            options={[['', 'Insert…'], ...blocks.map(({ name }) => [name, name] as const)]}
            onChange={({ target }) => {
              const block = blocks.find(({ name }) => name === target.value)
              if (block?.isForBuyers && !goesToBuyersOnly(field))
                toast({ title: 'Only for buyers', description: 'What is on the list is what they pay for.' })
              else if (block) insertText(field, () => `\n${block.markdown}\n\n`)
            }}
          />
        </div>
      )}
    </div>
  )
}

function goesToBuyersOnly(field: FieldRef) {
  const form = field.current?.closest('form')
  const values = form && new FormData(form)
  return Boolean(values?.get('buyersOf')) && !values?.get('toSubscribers')
}

type Block = {
  name: string
  markdown: string
  /** Paid content, only for newsletters to buyers. */
  isForBuyers?: true
}

/** Markdown with the recently added and removed assets; empty if there are none. */
function useListChanges() {
  const [since] = useState(() => Date.now() - recentChangeDays * dayMs)
  const { data: listedAssets = [] } = useData(assetsAdmin.list, {})
  const { data: removedAssets = [] } = useData(assetsAdmin.recentlyRemoved, {})
  const addedAssets = listedAssets.filter(({ createdAt }) => Date.parse(createdAt) > since)
  const addedLines = addedAssets.map(({ ticker, note }) => (note ? `- **${ticker}**: ${note}` : `- **${ticker}**`))
  const removedLines = removedAssets.map(({ ticker }) => `- **${ticker}**`)
  const parts: string[] = []
  if (addedLines.length > 0) parts.push(`New:\n\n${addedLines.join('\n')}`)
  if (removedLines.length > 0) parts.push(`Removed:\n\n${removedLines.join('\n')}`)
  return parts.join('\n\n')
}

function useBlocks(): Block[] {
  const [newestEntry] = changelogOf(useSettings().products).entries
  const runningCodes = useData(codes.adminList, {}).data?.filter(({ state }) => state === 'running') ?? []
  const listChanges = useListChanges()
  const blocks: Block[] = []
  if (newestEntry)
    blocks.push({ name: 'Newest change', markdown: `## ${newestEntry.title}\n\n${newestEntry.markdown}` })
  if (listChanges)
    blocks.push({
      name: 'What changed in the list',
      markdown: `## What changed in the list\n\n${listChanges}`,
      isForBuyers: true,
    })
  for (const { code, link } of runningCodes)
    blocks.push({ name: `Code ${code}`, markdown: `Your code: **${code}**. [Use it now](${link})` })
  return blocks
}
