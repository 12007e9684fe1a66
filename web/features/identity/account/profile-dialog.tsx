import { access, type OwnAccess } from '#contract/access/access.ts'
import type { InputOf } from '#contract/endpoint.ts'
import { accounts } from '#contract/identity/accounts.ts'
import { purchases } from '#contract/selling/purchases.ts'
import { useData } from '#web/api/client.ts'
import { useCall } from '#web/api/use-call.ts'
import { Pending } from '#web/ui/card.tsx'
import { confirm } from '#web/ui/confirm.tsx'
import { Dialog, DialogButtons } from '#web/ui/dialog.tsx'
import { Field, Form, SubmitButton } from '#web/ui/form.tsx'
import { Input } from '#web/ui/input.tsx'
import { Link } from '#web/ui/navigation.tsx'
import { Time } from '#web/ui/time.tsx'
import { toast } from '#web/ui/toast.tsx'

export default function ProfileDialog({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Edit Profile" onClose={onClose} className="max-w-lg">
      <ProfileForm onClose={onClose} />
      <p className="text-sm text-muted">
        Your email, password, devices, and data are under{' '}
        <Link href="/account" className="font-medium text-ink underline decoration-field underline-offset-4">
          Account
        </Link>
        .
      </p>
    </Dialog>
  )
}

function findAccessToMove(accessRows: OwnAccess[], newUsername: string) {
  const isOtherUsername = (username: string | null) => username?.toLowerCase() !== newUsername.toLowerCase()
  return accessRows.find(({ state, username }) => state === 'unlocked' && isOtherUsername(username))
}

function ProfileForm({ onClose }: { onClose: () => void }) {
  const profile = useData(accounts.profile, {})
  const ownAccess = useData(access.mine, {})
  const accessRows = ownAccess.data ?? []
  const lockedUntil = accessRows.find(({ mayChangeFrom }) => mayChangeFrom)?.mayChangeFrom
  const mustKeepUsername = accessRows.some(({ state }) => state !== 'none')
  const save = useCall(accounts.updateProfile, {
    refreshes: [accounts.profile, accounts.user, purchases.list, access.mine],
    succeeded: 'Profile updated successfully',
    failed: 'Failed to update profile',
    onSuccess: onClose,
  })
  /** A new username moves unlocked access, so this asks first. */
  async function confirmAndSave(typed: InputOf<typeof accounts.updateProfile>) {
    const newUsername = typed.tradingViewUsername ?? ''
    const accessToMove = newUsername ? findAccessToMove(accessRows, newUsername) : undefined
    if (accessToMove) {
      const isConfirmed = await confirm({
        title: `Move your access to ${newUsername}?`,
        description: accessToMove.unlocksItself
          ? `We unlock ${newUsername}, then remove ${accessToMove.username}. You can change it once a week.`
          : `We unlock ${newUsername} within 24 hours, then remove ${accessToMove.username}.`,
        action: 'Move access',
      })
      if (!isConfirmed) return
    }
    await save.mutateAsync(typed)
  }
  if (!profile.data) return <Pending query={profile} what="your profile" className="h-52" />
  // Until it is known, a new username would move the access without the question.
  if (!ownAccess.data) return <Pending query={ownAccess} what="your access" className="h-52" />
  return (
    <Form
      schema={accounts.updateProfile.input}
      aria-label="Profile"
      className="flex flex-col gap-5"
      onSubmit={confirmAndSave}
      onInvalid={(errors) =>
        toast({ title: 'Failed to update profile', description: Object.values(errors)[0], destructive: true })
      }
    >
      <Field name="name" label="Name">
        <Input autoComplete="name" maxLength={100} defaultValue={profile.data.name} />
      </Field>
      <Field
        name="tradingViewUsername"
        label="TradingView Username"
        hint={
          <>
            The account we unlock the indicator for.
            {lockedUntil && <Time before=" You can change it again on" value={lockedUntil} after="." />}
            {!lockedUntil && mustKeepUsername && ' You can change it, but not clear it while you have a subscription.'}
          </>
        }
      >
        <Input
          readOnly={!!lockedUntil}
          className="read-only:bg-line/50 read-only:text-muted"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={100}
          defaultValue={profile.data.tradingViewUsername}
        />
      </Field>
      <DialogButtons onClose={onClose}>
        <SubmitButton pendingText="Saving...">Save Changes</SubmitButton>
      </DialogButtons>
    </Form>
  )
}
