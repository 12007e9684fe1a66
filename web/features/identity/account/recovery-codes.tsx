import { useState } from 'react'
import { brand } from '#contract/brand.ts'
import { factors } from '#contract/identity/factors.ts'
import { CallButton } from '#web/api/call-button.tsx'
import { Button } from '#web/ui/button.tsx'
import { Checkbox } from '#web/ui/checkbox.tsx'
import { Dialog } from '#web/ui/dialog.tsx'
import { saveFile } from '#web/ui/save-file.ts'
import { toast } from '#web/ui/toast.tsx'
import { AccountRow } from './account-row.tsx'

export function RecoveryCodes({ remaining, onCodes }: { remaining: number; onCodes: (codes: string[]) => void }) {
  return (
    <AccountRow title="Recovery codes" text="For when you’ve lost your device. Each one logs you in once.">
      <p className="text-sm">{remaining} of 10 recovery codes are left.</p>
      <CallButton
        call={factors.renewRecoveryCodes}
        input={{}}
        options={{
          refreshes: [factors.show],
          failed: 'Failed to make new codes',
          onSuccess: ({ recoveryCodes }) => onCodes(recoveryCodes),
        }}
        question={{
          title: 'New recovery codes',
          description: 'You get ten new codes. The old ones stop working.',
          action: 'Make new codes',
        }}
        variant="secondary"
      >
        Make new codes
      </CallButton>
    </AccountRow>
  )
}

/** Shown only once, because the shop stores hashes. */
export function NewRecoveryCodes({ codes, onClose }: { codes: string[]; onClose: () => void }) {
  const [isStored, setIsStored] = useState(false)
  const text = `${brand.name}: recovery codes\n${location.origin}\nEach one works once.\n\n${codes.join('\n')}\n`

  async function copy() {
    try {
      await navigator.clipboard.writeText(text)
      toast({ title: 'Copied' })
    } catch {
      const description = 'Your browser doesn’t allow it. Please use Download or Print.'
      toast({ title: 'Failed to copy', description, destructive: true })
    }
  }

  return (
    <Dialog
      role="alertdialog"
      title="Your recovery codes"
      description="Use a code to log in if you lose your device. Each works once. Save them now; you won’t see them again."
      onClose={() => isStored && onClose()}
    >
      <ul className="grid grid-cols-1 gap-2 rounded-md border border-line bg-ground p-4 font-mono text-sm sm:grid-cols-2">
        {codes.map((code) => (
          <li key={code} className="select-all">
            {code}
          </li>
        ))}
      </ul>
      <div className="flex flex-wrap gap-2 print:hidden">
        <Button variant="secondary" size="sm" onClick={() => void copy()}>
          Copy
        </Button>
        <Button variant="secondary" size="sm" onClick={() => saveFile('recovery-codes.txt', text)}>
          Download
        </Button>
        <Button variant="secondary" size="sm" onClick={() => print()}>
          Print
        </Button>
      </div>
      <Checkbox label="I have stored them" checked={isStored} onTick={setIsStored} />
      <Button disabled={!isStored} onClick={onClose}>
        Done
      </Button>
    </Dialog>
  )
}
