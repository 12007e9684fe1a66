import { Menu, X } from 'lucide-react'
import { useState } from 'react'
import { isStaff } from '#contract/permissions.ts'
import { useUser } from '#web/api/session.ts'
import { useSettings } from '#web/api/settings.tsx'
import { ButtonLink } from '#web/ui/button.tsx'
import { classes } from '#web/ui/classes.ts'
import { type Href, Link } from '#web/ui/navigation.tsx'
import { Container } from '#web/ui/page.tsx'
import { ThemeToggle } from '#web/ui/theme.tsx'
import { Logo } from './logo.tsx'
import { MobileMenu } from './mobile-menu.tsx'
import { UserMenu } from './user-menu.tsx'

export function Header({ pathname }: { pathname: string }) {
  const { user, isLoading } = useUser()
  // The page on which the menu was opened, so that Back also closes it.
  const [menuPathname, setMenuPathname] = useState<string | null>(null)
  const menuOpen = menuPathname === pathname
  const closeMenu = () => setMenuPathname(null)
  const pricingHref = usePricingHref()
  // Someone in the checkout is already buying.
  const offersAccess = !pathname.startsWith('/checkout')
  const links: NavItem[] = [
    { href: '/products', text: 'Products' },
    { href: '/about', text: 'About' },
  ]
  if (user && isStaff(user)) links.push(admin)
  const mobileLinks = [...links, help]
  if (user) mobileLinks.push(dashboard)
  else if (offersAccess) mobileLinks.push({ href: pricingHref, text: 'Get access' })
  return (
    <header className="sticky top-0 z-40 border-b border-line bg-ground">
      <Container className="flex h-16 items-center gap-4 md:gap-6">
        <Link
          href="/"
          onClick={closeMenu}
          className="rounded-sm max-md:mr-auto"
          aria-current={pathname === '/' ? 'page' : undefined}
        >
          <Logo />
        </Link>
        <nav aria-label="Main" className="flex flex-1 items-center gap-1 max-md:hidden">
          {links.map((link) => (
            <NavLink key={link.href} pathname={pathname} {...link} />
          ))}
        </nav>
        <div className="flex items-center gap-2 max-md:hidden">
          {/* Fixed width, so that nothing shifts once the user has loaded. */}
          <div className={classes('flex w-52 justify-end gap-2', isLoading && 'in-[.returning]:invisible')}>
            {user ? (
              <UserMenu name={user.name} />
            ) : (
              <>
                <ButtonLink href="/auth" size="sm" variant="secondary">
                  Log In
                </ButtonLink>
                {offersAccess && <GetAccess />}
              </>
            )}
          </div>
          <ThemeToggle />
        </div>
        {!user && offersAccess && <GetAccess className="max-sm:hidden md:hidden" />}
        <button
          type="button"
          aria-label={menuOpen ? 'Close menu' : 'Open menu'}
          aria-expanded={menuOpen}
          aria-controls="mobile-menu"
          onClick={() => setMenuPathname(menuOpen ? null : pathname)}
          className="-mr-2 grid size-11 cursor-pointer place-items-center rounded-md md:hidden"
        >
          {menuOpen ? <X className="size-6" /> : <Menu className="size-6" />}
        </button>
      </Container>
      {menuOpen && <MobileMenu pathname={pathname} links={mobileLinks} close={closeMenu} />}
    </header>
  )
}

const admin: NavItem = { href: '/admin', text: 'Admin' }
const help: NavItem = { href: '/help', text: 'Help' }
const dashboard: NavItem = { href: '/dashboard', text: 'Dashboard' }

const usePricingHref = () => `/products/${useSettings().products[0].slug}#pricing` as const

function GetAccess({ className }: { className?: string }) {
  return (
    <ButtonLink href={usePricingHref()} size="sm" className={className}>
      Get access
    </ButtonLink>
  )
}

type NavItem = { href: Href; text: string }

function NavLink({ pathname, href, text }: NavItem & { pathname: string }) {
  const isCurrent = pathname === href || pathname.startsWith(`${href}/`)
  return (
    <Link
      href={href}
      aria-current={isCurrent ? 'page' : undefined}
      className="rounded-md px-3 py-2 text-sm font-medium text-muted transition-colors hover:text-ink aria-[current]:text-ink"
    >
      {text}
    </Link>
  )
}
