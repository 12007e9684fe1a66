import { useState } from 'react'
import type { OutputOf } from '#contract/endpoint.ts'
import { accounts } from '#contract/identity/accounts.ts'
import { staff } from '#contract/identity/staff.ts'
import { roles, roleTexts } from '#contract/statuses.ts'
import { CallDialog } from '#web/api/call-dialog.tsx'
import { Checkbox } from '#web/ui/checkbox.tsx'
import { Field } from '#web/ui/form.tsx'
import { Input, Select } from '#web/ui/input.tsx'
import { Link } from '#web/ui/navigation.tsx'
import { Notice } from '#web/ui/notice.tsx'
import { PasswordInput } from '#web/ui/password-input.tsx'
import { MoreOptions } from '../parts/dialog-parts.tsx'

export function AddUserDialog({ onClose }: { onClose: () => void }) {
  const [isAdmin, setIsAdmin] = useState(false)
  const [invite, setInvite] = useState(false)
  return (
    <CallDialog
      title="Add User"
      call={accounts.adminAdd}
      extra={{ isAdmin, ...(invite && { invite }) }}
      options={{ succeeded: 'User created successfully', failed: 'Failed to create user' }}
      button={{ pendingText: 'Creating...', children: 'Create User' }}
      onClose={onClose}
    >
      <Field name="email" label="Email">
        <Input type="email" autoComplete="off" required maxLength={254} />
      </Field>
      <Field name="password" label="Password" hint="Minimum 8 characters">
        <PasswordInput autoComplete="new-password" required maxLength={128} />
      </Field>
      <Field name="name" label="Name">
        <Input autoComplete="off" required maxLength={100} />
      </Field>
      <Checkbox label="Admin privileges" checked={isAdmin} onTick={setIsAdmin} />
      <MoreOptions>
        <Checkbox label="Send an invitation by email" checked={invite} onTick={setInvite} />
      </MoreOptions>
    </CallDialog>
  )
}

type User = OutputOf<typeof accounts.adminList>[number]

export function RoleDialog({ user, onClose }: { user: User; onClose: () => void }) {
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
        hint="Support sees users, purchases, and the access queue, but can’t refund, export, reveal keys, or change settings."
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
