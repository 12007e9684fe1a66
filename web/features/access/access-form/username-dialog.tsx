import { access, type OwnAccess } from '#contract/access/access.ts'
import { purchases } from '#contract/selling/purchases.ts'
import { CallDialog } from '#web/api/call-dialog.tsx'
import { UsernameInput } from '#web/features/selling/checkout/username-input.tsx'
import { Field } from '#web/ui/form.tsx'

export const usernameChange = { refreshes: [access.mine, purchases.list], failed: 'Failed to change the username' }

export function UsernameDialog({ mine, onClose }: { mine: OwnAccess; onClose: () => void }) {
  const hasOther = mine.state === 'unlocked'
  return (
    <CallDialog
      title="TradingView Username"
      description={
        hasOther
          ? 'We unlock the new account, then remove the old one. You can change it once a week.'
          : 'The name in the link to your profile: tradingview.com/u/your_name'
      }
      call={access.changeUsername}
      extra={{ purchaseId: mine.purchaseId }}
      options={usernameChange}
      button={{ pendingText: 'Saving...', children: 'Unlock this account' }}
      onClose={onClose}
    >
      <Field name="username" label="TradingView Username">
        <UsernameInput defaultValue={hasOther ? '' : (mine.username ?? '')} />
      </Field>
    </CallDialog>
  )
}
