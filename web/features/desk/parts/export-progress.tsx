import { Download, X } from 'lucide-react'
import { Button } from '#web/ui/button.tsx'
import { exportTitles, type Progress } from './use-export.ts'

type Kind = Progress['kind']

export function ExportProgress({ kind, rows, of, onCancel }: Progress & { onCancel: () => void }) {
  return (
    <div className="flex items-center gap-3">
      <div className="flex flex-1 flex-col gap-1.5">
        <progress
          aria-label={`Export of ${exportTitles[kind]}`}
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

/** One file at a time: while one runs, the others wait. */
export function ExportButton(props: {
  kind: Kind
  running: Kind | undefined
  run: (kind: Kind) => Promise<void>
  className: string
}) {
  const { kind, running, run, className } = props
  return (
    <Button
      variant="secondary"
      className={className}
      disabled={running !== undefined}
      pending={running === kind}
      onClick={() => void run(kind)}
    >
      {running !== kind && <Download className="size-4" aria-hidden="true" />}
      Export {exportTitles[kind]}
    </Button>
  )
}
