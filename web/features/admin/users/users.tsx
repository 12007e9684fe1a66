import { useState } from 'react'
import type { OutputOf } from '#contract/endpoint.ts'
import { accountsAdmin } from '#contract/identity/accounts-admin.ts'
import { staff } from '#contract/identity/staff.ts'
import { roles, roleTexts } from '#contract/permissions.ts'
import { CallDialog } from '#web/api/call-dialog.tsx'
import { useCan } from '#web/api/session.ts'
import { Checkbox } from '#web/ui/checkbox.tsx'
import { Field } from '#web/ui/form.tsx'
import { Input, Select } from '#web/ui/input.tsx'
import { Link } from '#web/ui/navigation.tsx'
import { Badge, Notice } from '#web/ui/notice.tsx'
import { PasswordInput } from '#web/ui/password-input.tsx'
import { Cell } from '#web/ui/table.tsx'
import { CustomerLink } from '../customers/customer-link.tsx'
import { AddButton, RecordList, sorting } from '../lists/record-list.tsx'
import { DayCell, hiddenActions } from '../lists/record-table.tsx'
import { MoreOptions } from '../parts/dialog-parts.tsx'
import { RowMenu } from '../parts/row-menu.tsx'
import ImportSubscribersDialog from './import/import-subscribers-dialog.tsx'
import { useDeleteUser } from './use-delete-user.ts'

type User = OutputOf<typeof accountsAdmin.list>[number]

export default function Users() {
  const can = useCan()
  const deleteActionFor = useDeleteUser()
  return (
    <RecordList
      label="Users"
      noun={['user', 'users']}
      hasTwoLines
      columns={[
        'Name',
        'Email',
        'Admin',
        { title: 'Purchases', note: 'With access now / in all' },
        'Registered',
        hiddenActions,
      ]}
      list={accountsAdmin.list}
      search="Search by email or name..."
      filters={{ sort: sorting('Sort users') }}
      controls={
        <>
          {can('people.manage') && <AddButton text="Add User" dialog={AddUserDialog} />}
          {can('purchases.manage') && <AddButton text="Import" dialog={ImportSubscribersDialog} isImport />}
        </>
      }
      none={{ title: 'No users found', description: 'New customers appear here.' }}
      renderRow={(user) => (
        <>
          <Cell className="max-w-56">
            <CustomerLink id={user.id} title={user.name}>
              {user.name || user.email}
            </CustomerLink>
          </Cell>
          <Cell label="Email" className="max-w-80" title={user.email}>
            <span className="flex min-w-0 items-center gap-2">
              <span className="truncate">{user.email}</span>
              {!user.isProven && <Badge>not confirmed</Badge>}
            </span>
          </Cell>
          <Cell label="Admin">
            <RoleName user={user} />
          </Cell>
          <Cell
            label="Purchases"
            className="text-right whitespace-nowrap tabular-nums"
            title={`${user.activePurchases} with access now, ${user.totalPurchases} in all`}
          >
            {user.activePurchases} / {user.totalPurchases}
            <span className="sr-only"> active of all</span>
          </Cell>
          <DayCell label="Registered" value={user.createdAt} />
          <Cell className="py-1.5">
            {can('people.manage') && (
              <RowMenu
                label={user.email}
                actions={[
                  { text: 'Change role', renderDialog: (close) => <RoleDialog user={user} onClose={close} /> },
                  deleteActionFor(user),
                ]}
              />
            )}
          </Cell>
        </>
      )}
    />
  )
}

function RoleName({ user }: { user: User }) {
  if (user.isAdmin) return <Badge tone="good">Admin</Badge>
  if (user.role) return <Badge>{roleTexts[user.role]}</Badge>
  return null
}

function AddUserDialog({ onClose }: { onClose: () => void }) {
  const [isAdmin, setIsAdmin] = useState(false)
  const [invite, setInvite] = useState(false)
  return (
    <CallDialog
      title="Add User"
      call={accountsAdmin.add}
      extra={invite ? { isAdmin, invite } : { isAdmin }}
      options={{ succeeded: 'User created successfully', failed: 'Failed to create user' }}
      button={{ pendingText: 'Creating...', children: 'Create User' }}
      onClose={onClose}
    >
      <Field name="email" label="Email">
        <Input type="email" autoComplete="off" required maxLength={254} />
      </Field>
      {!invite && (
        <Field name="password" label="Password" hint="Minimum 8 characters">
          <PasswordInput autoComplete="new-password" required maxLength={128} />
        </Field>
      )}
      <Field name="name" label="Name">
        <Input autoComplete="off" required maxLength={100} />
      </Field>
      <Checkbox label="Admin privileges" checked={isAdmin} onTick={setIsAdmin} />
      <MoreOptions>
        <Checkbox
          label="Send an invitation by email; they choose their own password"
          checked={invite}
          onTick={setInvite}
        />
      </MoreOptions>
    </CallDialog>
  )
}

function RoleDialog({ user, onClose }: { user: User; onClose: () => void }) {
  return (
    <CallDialog
      title="Change role"
      description={`${user.email} is logged out everywhere and has the new role from the next login. Someone promoted sets up passkeys and codes again.`}
      call={staff.adminSetRole}
      extra={{ id: user.id }}
      options={{ succeeded: 'Role changed', failed: 'Failed to change the role' }}
      button={{ pendingText: 'Saving...', children: 'Change role' }}
      onClose={onClose}
    >
      {!user.isProven && (
        <Notice tone="warning">
          <strong>Not confirmed.</strong> Only someone who has confirmed their email address can have a role.{' '}
          <Link href={`/admin/customers/${user.id}`} className="font-medium underline underline-offset-4">
            Send them a password link
          </Link>
          ; once they’ve used it, you can give them one.
        </Notice>
      )}
      <Field
        name="role"
        label="Role"
        hint="Support sees users, purchases, and the access queue, but can’t refund, export, reveal keys, or change settings. Accountants see payments, and change nothing."
      >
        <Select defaultValue={user.isAdmin ? 'admin' : (user.role ?? 'none')}>
          <option value="none">None</option>
          {roles.map((role) => (
            <option key={role} value={role} disabled={!user.isProven}>
              {roleTexts[role]}
            </option>
          ))}
          <option value="admin" disabled={!user.isProven}>
            Admin
          </option>
        </Select>
      </Field>
    </CallDialog>
  )
}
