import { factors } from '#contract/identity/factors.ts'
import { useCall } from '#web/api/use-call.ts'
import { Button } from '#web/ui/button.tsx'
import { confirm } from '#web/ui/confirm.tsx'
import { Part } from './part.tsx'

export function RecoveryCodes({ left, onCodes }: { left: number; onCodes: (codes: string[]) => void }) {
  const renew = useCall(factors.renewRecoveryCodes, {
    refreshes: [factors.show],
    failed: 'Failed to make new codes',
    onSuccess: ({ recoveryCodes }) => onCodes(recoveryCodes),
  })

  async function askAndRenew() {
    const yes = await confirm({
      title: 'New recovery codes',
      description: 'You get ten new codes. The old ones stop working.',
      action: 'Make new codes',
    })
    if (yes) renew.mutate({})
  }

  return (
    <Part title="Recovery codes" text="For when you’ve lost your device. Each one logs you in once.">
      <p className="text-sm">{left} of 10 recovery codes are left.</p>
      <Button variant="secondary" pending={renew.isPending} onClick={() => void askAndRenew()}>
        Make new codes
      </Button>
    </Part>
  )
}
