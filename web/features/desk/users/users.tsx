import { Trash2 } from 'lucide-react'
import { useState } from 'react'
import { type OutputOf, sortings } from '#contract/endpoint.ts'
import { accounts } from '#contract/identity/accounts.ts'
import { purchases } from '#contract/selling/purchases.ts'
import { roleTexts } from '#contract/statuses.ts'
import { useIsAdmin, useUser } from '#web/api/session.ts'
import { Badge } from '#web/ui/badge.tsx'
import { Button } from '#web/ui/button.tsx'
import { EmptyState } from '#web/ui/card.tsx'
import { confirm } from '#web/ui/confirm.tsx'
import { Cell } from '#web/ui/table.tsx'
import { Time } from '#web/ui/time.tsx'
import { CustomerLink } from '../customers/customer-link.tsx'
import { AddButton } from '../lists/add-button.tsx'
import { EndlessTable } from '../lists/endless-table.tsx'
import { NoMatch } from '../lists/no-match.tsx'
import { SearchBox, SortFilter } from '../lists/search-box.tsx'
import { usePages, useRowCall } from '../lists/use-pages.ts'
import { useAddress } from '../shell/use-address.ts'
import { AddUserDialog } from './add-user-dialog.tsx'
import { ImportButton } from './import/import-button.tsx'
import { RoleDialog } from './role-dialog.tsx'

type User = OutputOf<typeof accounts.adminList>[number]

const choices = { q: 'text', sort: sortings } as const
const columns = ['Name', 'Email', 'Admin', 'Purchases', 'Registered', 'Actions']

export default function UsersTab() {
  const [chosen, choose] = useAddress(choices)
  const [changing, setChanging] = useState<User | null>(null)
  const isAdmin = useIsAdmin()
  const query = usePages(accounts.adminList, chosen)
  const remove = useRowCall(accounts.adminDelete, {
    list: accounts.adminList,
    refreshes: [purchases.adminList],
    succeeded: 'User deleted successfully',
    failed: 'Failed to delete user',
  })

  async function askAndRemove({ id, email }: User) {
    const yes = await confirm({
      title: 'Delete user',
      description: `Delete user ${email}? This action cannot be undone.`,
      action: 'Delete user',
      destructive: true,
    })
    if (yes) remove.mutate({ id })
  }

  return (
    <div className="flex flex-col gap-5">
      <div className="flex flex-wrap items-center gap-3">
        <SearchBox placeholder="Search by email or name..." q={chosen.q} onSearch={(q) => choose({ q })} />
        <SortFilter label="Sort users" value={chosen.sort} onChange={(sort) => choose({ sort })} />
        {isAdmin && <AddButton text="Add User" dialog={AddUserDialog} />}
        {isAdmin && <ImportButton />}
      </div>
      <EndlessTable
        label="Users"
        noun={['user', 'users']}
        columns={columns}
        query={query}
        empty={
          chosen.q ? (
            <NoMatch title="No users found" />
          ) : (
            <EmptyState title="No users found" description="Whoever signs up or buys will stand here." />
          )
        }
        renderRow={(user) => (
          <Row user={user} onRole={() => setChanging(user)} onRemove={() => void askAndRemove(user)} />
        )}
      />
      {changing && <RoleDialog user={changing} onClose={() => setChanging(null)} />}
    </div>
  )
}

function Row({ user, onRole, onRemove }: { user: User; onRole: () => void; onRemove: () => void }) {
  const { user: myself } = useUser()
  const isAdmin = useIsAdmin()
  return (
    <>
      <Cell className="max-w-56">
        <CustomerLink id={user.id} title={user.name}>
          {user.name}
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
      <Cell label="Registered" className="whitespace-nowrap">
        <Time value={user.createdAt} />
      </Cell>
      <Cell className="py-1.5">
        {isAdmin && (
          <div className="flex items-center justify-end gap-1">
            <Button variant="ghost" size="sm" onClick={onRole}>
              Role<span className="sr-only"> of {user.email}</span>
            </Button>
            <Button
              variant="ghost"
              size="icon"
              aria-label={`Delete user ${user.email}`}
              title={user.id === myself?.id ? 'You cannot delete yourself' : undefined}
              disabled={user.id === myself?.id}
              onClick={onRemove}
              className="text-muted hover:bg-danger-soft hover:text-danger"
            >
              <Trash2 className="size-4.5" aria-hidden="true" />
            </Button>
          </div>
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
