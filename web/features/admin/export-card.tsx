import { Download, X } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { type ExportKind, exports } from '#contract/exports.ts'
import { send } from '#web/api/client.ts'
import { Button } from '#web/ui/button.tsx'
import { Card } from '#web/ui/card.tsx'
import { toast } from '#web/ui/toast.tsx'

const titles = { buyers: 'Buyers', orders: 'Orders', forms: 'Access Requests' } as const
type Progress = { kind: ExportKind; rows: number; of: number }

export function ExportCard() {
  const [progress, setProgress] = useState<Progress | null>(null)
  const leaving = useRef<AbortController>(null)
  useEffect(() => () => leaving.current?.abort(), [])

  async function run(kind: ExportKind) {
    const controller = new AbortController()
    leaving.current = controller
    setProgress({ kind, rows: 0, of: 0 })
    try {
      const response = await send(exports.download, { kind }, { signal: controller.signal })
      const of = Number(response.headers.get('x-estimated-rows'))
      const file = await collect(response, (rows) => setProgress({ kind, rows, of }))
      save(file, `${kind}-${today()}.csv`)
      toast({ title: `${titles[kind]} data exported successfully` })
    } catch {
      if (!controller.signal.aborted)
        toast({ title: 'Export failed', description: 'Please try again.', destructive: true })
    } finally {
      setProgress(null)
    }
  }

  return (
    <Card className="flex flex-col gap-4">
      <h2 className="text-lg">Export Data</h2>
      <div className="flex flex-col gap-2">
        {(['buyers', 'orders', 'forms'] as const).map((kind) => (
          <Button
            key={kind}
            variant="secondary"
            className="justify-start"
            disabled={progress !== null}
            pending={progress?.kind === kind}
            onClick={() => void run(kind)}
          >
            {progress?.kind !== kind && <Download className="size-4" aria-hidden="true" />}
            Export {titles[kind]}
          </Button>
        ))}
      </div>
      {progress && <Running {...progress} onCancel={() => leaving.current?.abort()} />}
    </Card>
  )
}

function Running({ kind, rows, of, onCancel }: Progress & { onCancel: () => void }) {
  return (
    <div className="flex items-center gap-3">
      <div className="flex flex-1 flex-col gap-1.5">
        <progress
          aria-label={`Export of ${titles[kind]}`}
          className="h-1.5 w-full accent-accent"
          {...(of > rows ? { value: rows, max: of } : {})}
        />
        <span className="text-xs text-muted tabular-nums">{rows.toLocaleString('en-US')} rows</span>
      </div>
      <Button variant="ghost" size="sm" onClick={onCancel}>
        <X className="size-4" aria-hidden="true" />
        Cancel
      </Button>
    </div>
  )
}

const newline = 10

/** Streams the response and reports the row count, at most four times a second. */
async function collect(response: Response, tell: (rows: number) => void): Promise<Blob> {
  const pieces: Blob[] = []
  let [lines, told] = [0, 0]
  for await (const piece of response.body ?? []) {
    // Blobs may live on disk, so a million rows don't have to fit in memory.
    pieces.push(new Blob([piece]))
    for (let at = piece.indexOf(newline); at !== -1; at = piece.indexOf(newline, at + 1)) lines += 1
    if (performance.now() - told < 250) continue
    told = performance.now()
    tell(Math.max(lines - 1, 0))
  }
  return new Blob(pieces, { type: 'text/csv' })
}

/** The date in the seller's own time zone, which the server doesn't know. */
function today() {
  const now = new Date()
  const twoDigits = (part: number) => String(part).padStart(2, '0')
  return `${now.getFullYear()}-${twoDigits(now.getMonth() + 1)}-${twoDigits(now.getDate())}`
}

function save(file: Blob, name: string) {
  const url = URL.createObjectURL(file)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
