import { useEffect, useRef, useState } from 'react'
import { useUser } from '#web/api/session.ts'
import { useLogOut } from '#web/features/auth/use-log-out.ts'
import { ButtonLink } from '#web/ui/button.tsx'
import { classes } from '#web/ui/classes.ts'
import { Icon } from '#web/ui/icon.tsx'
import { Menu, menuItem } from '#web/ui/menu.tsx'
import { Link } from '#web/ui/navigation.tsx'
import { Container } from '#web/ui/page.tsx'
import { ThemeToggle } from '#web/ui/theme.tsx'
import { Logo } from './logo.tsx'

export function Header({ pathname }: { pathname: string }) {
  const { user, isLoading } = useUser()
  const [menuOpen, setMenuOpen] = useState(false)
  const links = [
    { href: '/products', text: 'Products' },
    { href: '/about', text: 'About' },
    ...(user?.isAdmin ? [{ href: '/admin', text: 'Admin' }] : []),
  ]
  return (
    <header className="sticky top-0 z-40 border-b border-line bg-ground/85 backdrop-blur-lg">
      <Container className="flex h-16 items-center gap-8">
        <Link href="/" className="rounded-sm" aria-current={pathname === '/' ? 'page' : undefined}>
          <Logo />
        </Link>
        <nav aria-label="Main" className="flex flex-1 items-center gap-1 max-md:hidden">
          {links.map((link) => (
            <NavLink key={link.href} pathname={pathname} {...link} />
          ))}
        </nav>
        <div className="flex items-center gap-2 max-md:hidden">
          {/* Reserves its full width, so nothing shifts once the user loads. */}
          <div className={classes('flex w-36 justify-end', isLoading && 'in-[.returning]:invisible')}>
            {user ? (
              <UserMenu name={user.name} />
            ) : (
              <ButtonLink href="/auth" size="sm" variant="secondary">
                Log In
              </ButtonLink>
            )}
          </div>
          <ThemeToggle />
        </div>
        <button
          type="button"
          aria-label={menuOpen ? 'Close menu' : 'Open menu'}
          aria-expanded={menuOpen}
          aria-controls="mobile-menu"
          onClick={() => setMenuOpen(!menuOpen)}
          className="-mr-2 ml-auto grid size-11 cursor-pointer place-items-center rounded-md md:hidden"
        >
          <Icon name={menuOpen ? 'close' : 'menu'} className="size-6" />
        </button>
      </Container>
      {menuOpen && <MobileMenu pathname={pathname} links={links} close={() => setMenuOpen(false)} />}
    </header>
  )
}

type NavItem = { href: string; text: string }

function NavLink({ pathname, href, text }: NavItem & { pathname: string }) {
  const here = pathname === href || pathname.startsWith(`${href}/`)
  return (
    <Link
      href={href}
      aria-current={here ? 'page' : undefined}
      className="rounded-md px-3 py-2 text-sm font-medium text-muted transition-colors hover:text-ink aria-[current]:text-ink"
    >
      {text}
    </Link>
  )
}

function UserMenu({ name }: { name: string }) {
  const logOut = useLogOut()
  return (
    <Menu
      className="flex h-9 max-w-36 items-center gap-1.5 rounded-md border border-line bg-surface px-3 text-sm font-medium hover:border-field"
      label={
        <>
          <span className="truncate">{name || 'Account'}</span>
          <Icon name="chevron" className="size-4 text-muted" />
        </>
      }
    >
      <Link href="/dashboard" role="menuitem" tabIndex={-1} className={menuItem}>
        Dashboard
      </Link>
      <button type="button" role="menuitem" tabIndex={-1} className={menuItem} onClick={() => void logOut()}>
        Logout
      </button>
    </Menu>
  )
}

function MobileMenu(props: { pathname: string; links: NavItem[]; close: () => void }) {
  const { pathname, links, close } = props
  const { user } = useUser()
  const logOut = useLogOut()
  const ref = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return
      close()
      ref.current?.closest('header')?.querySelector<HTMLElement>('[aria-controls]')?.focus()
    }
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [close])
  const item =
    'flex min-h-12 w-full cursor-pointer items-center rounded-md px-3 text-lg font-medium aria-[current]:text-accent'
  return (
    <div
      ref={ref}
      id="mobile-menu"
      className="absolute inset-x-0 top-full max-h-[calc(100dvh-4rem)] animate-fade overflow-y-auto border-b border-line bg-ground px-2 py-3 shadow-float md:hidden"
    >
      <nav aria-label="Main">
        {[...links, ...(user ? [{ href: '/dashboard', text: 'Dashboard' }] : [])].map(({ href, text }) => (
          <Link
            key={href}
            href={href}
            onClick={close}
            aria-current={pathname === href ? 'page' : undefined}
            className={item}
          >
            {text}
          </Link>
        ))}
        {user ? (
          <button
            type="button"
            className={item}
            onClick={() => {
              close()
              void logOut()
            }}
          >
            Logout
          </button>
        ) : (
          <Link href="/auth" onClick={close} className={item}>
            Log In
          </Link>
        )}
      </nav>
      <div className="mt-2 flex min-h-12 items-center justify-between border-t border-line px-3 pt-2 text-lg font-medium">
        Theme
        <ThemeToggle />
      </div>
    </div>
  )
}
