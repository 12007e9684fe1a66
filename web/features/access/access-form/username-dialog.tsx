import { access, type OwnAccess } from '#contract/access/access.ts'
import { purchases } from '#contract/selling/purchases.ts'
import { CallDialog } from '#web/api/call-dialog.tsx'
import { UsernameInput } from '#web/features/selling/checkout/username-input.tsx'
import { Field } from '#web/ui/form.tsx'

export const usernameChangeOptions = {
  refreshes: [access.mine, purchases.list],
  failed: 'Failed to change the username',
}

export function UsernameDialog({ ownAccess, onClose }: { ownAccess: OwnAccess; onClose: () => void }) {
  const isUnlocked = ownAccess.state === 'unlocked'
  return (
    <CallDialog
      title="TradingView Username"
      description={
        isUnlocked
          ? 'We unlock the new account, then remove the old one. You can change it once a week.'
          : 'The name in the link to your profile: tradingview.com/u/your_name'
      }
      call={access.changeUsername}
      extra={{ purchaseId: ownAccess.purchaseId }}
      options={usernameChangeOptions}
      button={{ pendingText: 'Saving...', children: 'Unlock this account' }}
      onClose={onClose}
    >
      <Field name="username" label="TradingView Username">
        <UsernameInput defaultValue={isUnlocked ? '' : (ownAccess.username ?? '')} />
      </Field>
    </CallDialog>
  )
}
