import { Download, X } from 'lucide-react'
import { Button } from '#web/ui/button.tsx'
import { Card } from '#web/ui/card.tsx'
import { exportTitles, type Progress, useExport } from '../parts/use-export.ts'

export function ExportCard() {
  const { progress, run, cancel } = useExport()
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
            Export {exportTitles[kind]}
          </Button>
        ))}
      </div>
      {progress && <Running {...progress} onCancel={cancel} />}
    </Card>
  )
}

function Running({ kind, rows, of, onCancel }: Progress & { onCancel: () => void }) {
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
