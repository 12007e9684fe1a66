import { useState } from 'react'
import type { OutputOf } from '#contract/endpoint.ts'
import { factors } from '#contract/identity/factors.ts'
import { useCall } from '#web/api/use-call.ts'
import { Button } from '#web/ui/button.tsx'
import { confirm } from '#web/ui/confirm.tsx'
import { Time } from '#web/ui/time.tsx'
import { toast } from '#web/ui/toast.tsx'
import { AppDialog } from './app-dialog.tsx'
import { Part } from './part.tsx'
import { refreshes } from './refreshes.ts'

type Props = { since: string | null; mayAdd: boolean; onCodes: (codes: string[]) => void }

export function AppCodes({ since, mayAdd, onCodes }: Props) {
  const [begun, setBegun] = useState<OutputOf<typeof factors.beginAppCodes> | null>(null)
  const begin = useCall(factors.beginAppCodes, {
    failed: 'Failed to set up the app',
    onSuccess: setBegun,
  })
  const remove = useCall(factors.removeAppCodes, {
    refreshes,
    succeeded: 'Authenticator app turned off',
    failed: 'Failed to turn it off',
  })

  async function askAndRemove() {
    const yes = await confirm({
      title: 'Turn off app codes',
      description: 'After your password, we’ll no longer ask for a code.',
      action: 'Turn off',
      destructive: true,
    })
    if (yes) remove.mutate({})
  }

  return (
    <Part
      title="Authenticator app"
      text="After your password, we ask for a six-digit code from an app on your phone."
    >
      {since && (
        <p className="text-sm">
          On since <Time value={since} />.
        </p>
      )}
      <div className="flex flex-wrap gap-3">
        {mayAdd && (
          <Button variant="secondary" pending={begin.isPending} onClick={() => begin.mutate({})}>
            {since ? 'Set up another app' : 'Set up an app'}
          </Button>
        )}
        {since && (
          <Button variant="dangerGhost" pending={remove.isPending} onClick={() => void askAndRemove()}>
            Turn off
          </Button>
        )}
      </div>
      {begun && (
        <AppDialog
          begun={begun}
          onClose={() => setBegun(null)}
          onDone={(codes) => {
            setBegun(null)
            // On a phone, a toast would cover the codes.
            if (codes) onCodes(codes)
            else toast({ title: 'Authenticator app turned on' })
          }}
        />
      )}
    </Part>
  )
}
