import { accountsAdmin } from '#contract/identity/accounts-admin.ts'
import { useUser } from '#web/api/session.ts'
import { useCall } from '#web/api/use-call.ts'
import type { RowAction } from '../parts/row-menu.tsx'

type DeletableUser = { id: string; email: string; totalPurchases: number }

/** Returns a function that creates a user's menu entry. */
export function useDeleteUser(onDeleted?: () => void) {
  const { user: currentUser } = useUser()
  const remove = useCall(accountsAdmin.delete, {
    succeeded: 'User deleted successfully',
    failed: 'Failed to delete user',
    ...(onDeleted ? { onSuccess: onDeleted } : {}),
  })
  const effect = 'A live subscription ends today, and nothing is refunded. Sales stay in the books and in past figures.'
  return ({ id, email, totalPurchases }: DeletableUser): RowAction => ({
    text: 'Delete user',
    needs: 'people.manage',
    question: {
      title: 'Delete user',
      description: `Delete user ${email}? This action cannot be undone.`,
      ...(totalPurchases > 0 ? { effect } : {}),
      action: 'Delete user',
    },
    run: () => remove.mutate({ id }),
    isDangerous: true,
    hasDivider: true,
    disabledBecause: id === currentUser?.id && 'You cannot delete yourself',
  })
}
