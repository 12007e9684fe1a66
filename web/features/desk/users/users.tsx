import { lazy, useState } from 'react'
import type { OutputOf } from '#contract/endpoint.ts'
import { accounts } from '#contract/identity/accounts.ts'
import { roleTexts } from '#contract/statuses.ts'
import { useIsAdmin, useUser } from '#web/api/session.ts'
import { useCall } from '#web/api/use-call.ts'
import { Badge } from '#web/ui/notice.tsx'
import { Cell } from '#web/ui/table.tsx'
import { CustomerLink } from '../customers/customer-link.tsx'
import { AddButton, RecordList, sorting } from '../lists/record-list.tsx'
import { DayCell, hiddenActions } from '../lists/record-table.tsx'
import { RowMenu } from '../parts/row-menu.tsx'
import { AddUserDialog, RoleDialog } from './user-dialogs.tsx'

const ImportSubscribersDialog = lazy(() => import('./import/import-subscribers-dialog.tsx'))
type User = OutputOf<typeof accounts.adminList>[number]

export default function Users() {
  const [changing, setChanging] = useState<User | null>(null)
  const isAdmin = useIsAdmin()
  const remove = useCall(accounts.adminDelete, {
    succeeded: 'User deleted successfully',
    failed: 'Failed to delete user',
  })
  return (
    <>
      <RecordList
        label="Users"
        noun={['user', 'users']}
        columns={['Name', 'Email', 'Admin', 'Purchases', 'Registered', hiddenActions]}
        list={accounts.adminList}
        search="Search by email or name..."
        filters={{ sort: sorting('Sort users') }}
        controls={
          isAdmin && (
            <>
              <AddButton text="Add User" dialog={AddUserDialog} />
              <AddButton text="Import" dialog={ImportSubscribersDialog} isImport />
            </>
          )
        }
        none={{ title: 'No users found', description: 'New customers appear here.' }}
        renderRow={(user) => (
          <Row user={user} onRole={() => setChanging(user)} onRemove={() => remove.mutate({ id: user.id })} />
        )}
      />
      {changing && <RoleDialog user={changing} onClose={() => setChanging(null)} />}
    </>
  )
}

function Row({ user, onRole, onRemove }: { user: User; onRole: () => void; onRemove: () => void }) {
  const { user: myself } = useUser()
  const isAdmin = useIsAdmin()
  return (
    <>
      <Cell className="max-w-56">
        <CustomerLink id={user.id} title={user.name}>
          {user.name || user.email}
        </CustomerLink>
      </Cell>
      <Cell className="max-w-80" title={user.email}>
        <span className="flex min-w-0 items-center gap-2">
          <span className="truncate">{user.email}</span>
          {!user.isProven && <Badge>Not confirmed</Badge>}
        </span>
      </Cell>
      <Cell label="Admin">
        <RoleName user={user} />
      </Cell>
      <Cell label="Purchases" className="whitespace-nowrap tabular-nums">
        {user.activePurchases} / {user.totalPurchases}
        <span className="sr-only"> active of all</span>
      </Cell>
      <DayCell label="Registered" value={user.createdAt} />
      <Cell className="py-1.5">
        {isAdmin && (
          <RowMenu
            of={user.email}
            actions={[
              { text: 'Change role', do: onRole },
              {
                text: 'Delete user',
                asks: {
                  title: 'Delete user',
                  description: `Delete user ${user.email}? This action cannot be undone.`,
                  ...(user.totalPurchases > 0 && {
                    effect:
                      'A live subscription ends today, and nothing is refunded. Sales stay in the books and in past figures.',
                  }),
                  action: 'Delete user',
                },
                do: onRemove,
                isDangerous: true,
                not: user.id === myself?.id && 'You cannot delete yourself',
              },
            ]}
          />
        )}
      </Cell>
    </>
  )
}

function RoleName({ user }: { user: User }) {
  if (user.isAdmin) return <Badge tone="good">Admin</Badge>
  if (user.role) return <Badge>{roleTexts[user.role]}</Badge>
  return <span className="text-muted">No</span>
}
