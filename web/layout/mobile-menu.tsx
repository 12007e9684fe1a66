import { useEffect, useRef } from 'react'
import { useUser } from '#web/api/session.ts'
import { useLogOut } from '#web/features/identity/sign-in/use-log-out.ts'
import { type Href, Link } from '#web/ui/navigation.tsx'
import { ThemeRow } from '#web/ui/theme.tsx'

export function MobileMenu(props: { pathname: string; links: { href: Href; text: string }[]; close: () => void }) {
  const { pathname, links, close } = props
  const { user } = useUser()
  const logOut = useLogOut()
  const menu = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return
      close()
      menu.current?.closest('header')?.querySelector<HTMLElement>('[aria-controls]')?.focus()
    }
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [close])
  const itemClasses =
    'flex min-h-12 w-full cursor-pointer items-center rounded-md px-3 text-lg font-medium aria-[current]:text-accent'
  return (
    <div
      ref={menu}
      id="mobile-menu"
      className="absolute inset-x-0 top-full max-h-[calc(100dvh-4rem)] animate-fade overflow-y-auto border-b border-line bg-ground px-2 py-3 shadow-float md:hidden"
    >
      <nav aria-label="Main">
        {links.map(({ href, text }) => (
          <Link
            key={href}
            href={href}
            onClick={close}
            aria-current={pathname === href ? 'page' : undefined}
            className={itemClasses}
          >
            {text}
          </Link>
        ))}
        {user ? (
          <button
            type="button"
            className={itemClasses}
            onClick={() => {
              close()
              void logOut()
            }}
          >
            Logout
          </button>
        ) : (
          <Link href="/auth" onClick={close} className={itemClasses}>
            Log In
          </Link>
        )}
      </nav>
      <div className="mt-2 border-t border-line pt-2">
        <ThemeRow className={itemClasses} />
      </div>
    </div>
  )
}
