import { useLogOut } from '#web/features/identity/sign-in/use-log-out.ts'
import { Menu, MenuItem, menuItemClasses } from '#web/ui/menu.tsx'
import { Link } from '#web/ui/navigation.tsx'
import { UserName, userButtonClasses } from './user-name.tsx'

export function UserMenu({ name }: { name: string }) {
  const logOut = useLogOut()
  return (
    <Menu className={userButtonClasses} label={<UserName name={name} />}>
      <Link href="/dashboard" role="menuitem" tabIndex={-1} className={menuItemClasses}>
        Dashboard
      </Link>
      <MenuItem onClick={() => void logOut()}>Logout</MenuItem>
    </Menu>
  )
}
