import { useEffect } from 'react'
import { accessRequests } from '#contract/access/access-requests.ts'
import { overview } from '#contract/desk/overview.ts'
import { useCall } from '#web/api/use-call.ts'
import { Button } from '#web/ui/button.tsx'

const undoMilliseconds = 60_000

/** A grant by hand can be taken back for a minute: only then is the buyer told. */
export function UndoBar({ ids, setIds }: { ids: string[]; setIds: (ids: string[]) => void }) {
  const undo = useCall(accessRequests.adminUndo, {
    refreshes: [accessRequests.adminList, overview.adminShow],
    succeeded: { title: 'Undone', description: 'Nobody was told.' },
    failed: 'Failed to undo',
    onSuccess: () => setIds([]),
  })
  useEffect(() => {
    const timer = setTimeout(setIds, undoMilliseconds, [])
    return () => clearTimeout(timer)
  }, [setIds])
  return (
    <div className="flex items-center gap-4 rounded-md bg-accent-soft px-4 py-2 text-sm">
      <p className="mr-auto">
        {ids.length === 1 ? 'Granted.' : `${ids.length} granted.`} The email goes out in a minute.
      </p>
      <Button size="sm" variant="secondary" pending={undo.isPending} onClick={() => undo.mutate({ ids })}>
        Undo
      </Button>
    </div>
  )
}
