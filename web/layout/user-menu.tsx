import { useLogOut } from '#web/features/identity/sign-in/use-log-out.ts'
import { Menu, MenuItem, menuItem } from '#web/ui/menu.tsx'
import { Link } from '#web/ui/navigation.tsx'
import { UserName, userButton } from './user-name.tsx'

export function UserMenu({ name }: { name: string }) {
  const logOut = useLogOut()
  return (
    <Menu className={userButton} label={<UserName name={name} />}>
      <Link href="/dashboard" role="menuitem" tabIndex={-1} className={menuItem}>
        Dashboard
      </Link>
      <MenuItem onClick={() => void logOut()}>Logout</MenuItem>
    </Menu>
  )
}
