import { KeyRound } from 'lucide-react'
import { useState } from 'react'
import { factors, type Passkey } from '#contract/identity/factors.ts'
import { CallButton } from '#web/api/call-button.tsx'
import { CallDialog } from '#web/api/call-dialog.tsx'
import { useRefresh } from '#web/api/client.ts'
import { supportsPasskeys } from '#web/api/passkeys.ts'
import { Button } from '#web/ui/button.tsx'
import { Field } from '#web/ui/form.tsx'
import { Input } from '#web/ui/input.tsx'
import { Time } from '#web/ui/time.tsx'
import { toast } from '#web/ui/toast.tsx'
import { AccountRow, factorQueries, StateText } from './account-row.tsx'
import { useMakePasskey } from './use-make-passkey.ts'

type Props = { passkeys: Passkey[]; mayAdd: boolean; onCodes: (codes: string[]) => void }

export function Passkeys({ passkeys, mayAdd, onCodes }: Props) {
  const refresh = useRefresh(factorQueries)
  const { makePasskey, isPending } = useMakePasskey(async (recoveryCodes) => {
    await refresh()
    if (recoveryCodes) onCodes(recoveryCodes)
    else toast({ title: 'Passkey added' })
  })

  return (
    <AccountRow title="Passkeys" text="Use your fingerprint, face, or screen lock instead of a password.">
      {passkeys.length === 0 && <StateText>None</StateText>}
      {passkeys.length > 0 && (
        <ul className="flex w-full flex-col divide-y divide-line border-y border-line">
          {passkeys.map((passkey) => (
            <PasskeyRow key={passkey.id} passkey={passkey} />
          ))}
        </ul>
      )}
      {mayAdd && supportsPasskeys() && (
        <Button variant="secondary" pending={isPending} onClick={makePasskey}>
          Add a passkey
        </Button>
      )}
      {mayAdd && !supportsPasskeys() && <p className="text-sm">This browser doesn’t support passkeys.</p>}
    </AccountRow>
  )
}

function PasskeyRow({ passkey }: { passkey: Passkey }) {
  const { id, name, isSynced, createdAt, lastUsedAt } = passkey
  const [isRenaming, setIsRenaming] = useState(false)
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 py-3">
      <KeyRound aria-hidden="true" className="size-5 shrink-0 text-muted" />
      <div className="min-w-0 flex-1 basis-48">
        <p className="truncate text-sm font-medium" title={name}>
          {name}
        </p>
        <p className="text-sm text-muted">
          {isSynced ? 'Synced, added ' : 'Added '}
          <Time value={createdAt} />
          {lastUsedAt && (
            <>
              , last used <Time value={lastUsedAt} />
            </>
          )}
        </p>
      </div>
      <Button variant="ghost" size="sm" onClick={() => setIsRenaming(true)}>
        Rename<span className="sr-only"> {name}</span>
      </Button>
      <CallButton
        call={factors.removePasskey}
        input={{ id }}
        options={{ refreshes: factorQueries, succeeded: 'Passkey removed', failed: 'Failed to remove the passkey' }}
        question={{
          title: 'Remove passkey',
          description: `“${name}” will no longer open your account. Delete it on your device, too.`,
          action: 'Remove passkey',
          destructive: true,
        }}
        variant="dangerGhost"
        size="sm"
      >
        Remove<span className="sr-only"> {name}</span>
      </CallButton>
      {isRenaming && <RenameDialog passkey={passkey} onClose={() => setIsRenaming(false)} />}
    </li>
  )
}

function RenameDialog({ passkey, onClose }: { passkey: Passkey; onClose: () => void }) {
  return (
    <CallDialog
      title="Rename passkey"
      call={factors.renamePasskey}
      extra={{ id: passkey.id }}
      options={{ refreshes: [factors.show], succeeded: 'Passkey renamed', failed: 'Failed to rename the passkey' }}
      button={{ pendingText: 'Saving...', children: 'Save' }}
      onClose={onClose}
    >
      <Field name="name" label="Name">
        <Input required maxLength={60} defaultValue={passkey.name} autoComplete="off" />
      </Field>
    </CallDialog>
  )
}
