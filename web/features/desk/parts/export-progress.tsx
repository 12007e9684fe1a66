import { X } from 'lucide-react'
import { Button } from '#web/ui/button.tsx'
import { exportTitles, type Progress } from './use-export.ts'

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
