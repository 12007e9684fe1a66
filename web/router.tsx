import { type ComponentType, createElement, use } from 'react'
import { brand } from '#contract/brand.ts'
import type { AdminPath } from './features/admin/screens.ts'
import { match } from './ui/navigation.tsx'

export type Route = {
  path: string
  /** The page's module below `features/`; its code is loaded when it is needed. */
  page: string
  title: string
  access: 'public' | 'user' | 'staff'
  indexable: boolean
  /** Always begins at its top, also on Back and on a reload. */
  beginsAtTop?: boolean
  /** Also shows every address below its own: the page has a table of its own, see `features/admin/screens.ts`. */
  below?: boolean
  /** The address carries a secret, which must not travel as referrer. */
  secret?: boolean
}

const open = { access: 'public', indexable: true } as const
const unlisted = { access: 'public', indexable: false } as const
const buyers = { access: 'user', indexable: false } as const
const staff = { access: 'staff', indexable: false } as const

const pages = [
  { ...open, path: '/', page: 'site/home/home-page', title: brand.headline },
  { ...open, path: '/products', page: 'site/products/products-page', title: 'Products' },
  { ...open, path: '/products/:slug', page: 'site/products/product-page', title: '', beginsAtTop: true },
  { ...open, path: '/about', page: 'site/about/about-page', title: 'About' },
  { ...unlisted, path: '/auth', page: 'identity/sign-in/auth-page', title: 'Log in or sign up' },
  { ...unlisted, path: '/auth/code', page: 'identity/sign-in/code-page', title: 'One more step' },
  { ...unlisted, path: '/auth/link', page: 'identity/sign-in/emailed-login-page', title: 'Log in', secret: true },
  { ...unlisted, path: '/login-link', page: 'identity/sign-in/login-link-page', title: 'Log in by email' },
  { ...unlisted, path: '/forgot-password', page: 'identity/sign-in/forgot-password-page', title: 'Forgot password' },
  {
    ...unlisted,
    path: '/reset-password',
    page: 'identity/sign-in/reset-password-page',
    title: 'Reset password',
    secret: true,
  },
  {
    ...unlisted,
    path: '/confirm-address',
    page: 'identity/sign-in/confirm-address-page',
    title: 'Confirm your address',
    secret: true,
  },
  { ...unlisted, path: '/checkout', page: 'selling/checkout/checkout-page', title: 'Checkout' },
  {
    ...unlisted,
    path: '/checkout/success',
    page: 'access/success/success-page',
    title: 'Payment',
    secret: true,
    beginsAtTop: true,
  },
  { ...unlisted, path: '/invoice', page: 'selling/invoices/invoice-page', title: 'Your invoice', secret: true },
  {
    ...unlisted,
    path: '/newsletter/confirm',
    page: 'site/links/mailed-link-page',
    title: 'Confirm your subscription',
    secret: true,
  },
  {
    ...unlisted,
    path: '/newsletter/unsubscribe',
    page: 'site/links/mailed-link-page',
    title: 'Unsubscribe',
    secret: true,
  },
  { ...unlisted, path: '/withdraw', page: 'selling/declarations/declaration-page', title: 'Withdraw from contract' },
  { ...unlisted, path: '/cancel', page: 'selling/declarations/declaration-page', title: 'Cancel contracts' },
  { ...unlisted, path: '/declarations/confirm', page: 'site/links/mailed-link-page', title: 'Confirm', secret: true },
  { ...buyers, path: '/welcome', page: 'access/welcome/welcome-page', title: 'Welcome' },
  { ...buyers, path: '/setup-guide', page: 'access/guide/setup-guide-page', title: 'Setup guide' },
  { ...buyers, path: '/dashboard', page: 'access/dashboard/dashboard-page', title: 'Dashboard' },
  { ...buyers, path: '/account', page: 'identity/account/account-page', title: 'Account' },
  { ...unlisted, path: '/account/link', page: 'site/links/mailed-link-page', title: 'Your account', secret: true },
  { ...staff, path: '/admin', page: 'admin/admin-page', title: 'Admin', below: true },
  { ...open, path: '/help', page: 'site/content/help-page', title: 'Help' },
  { ...open, path: '/changelog', page: 'site/content/changelog-page', title: 'Changelog' },
  { ...open, path: '/reviews', page: 'site/reviews/reviews-page', title: 'Reviews' },
  { ...open, path: '/legal/terms', page: 'site/legal/terms-page', title: 'Terms of Service' },
  { ...open, path: '/legal/privacy', page: 'site/legal/privacy-page', title: 'Privacy Policy' },
  { ...open, path: '/legal/imprint', page: 'site/legal/imprint-page', title: 'Imprint' },
  { ...open, path: '/legal/accessibility', page: 'site/legal/accessibility-page', title: 'Accessibility' },
] as const satisfies Route[]
export const routes: readonly Route[] = pages

type Filled<Path extends string> = Path extends `${infer Before}/:${string}/${infer After}`
  ? `${Before}/${string}/${After}`
  : Path extends `${infer Before}/:${string}`
    ? `${Before}/${string}`
    : Path
type Address = Filled<(typeof pages)[number]['path'] | AdminPath>

declare module '#web/ui/navigation.tsx' {
  interface Addresses {
    href: Address | `${Address}?${string}` | `${Address}#${string}` | `#${string}`
  }
}

export const notFound: Route = { ...unlisted, path: '*', page: 'not-found/not-found-page', title: 'Page not found' }

type Named = { slug: string; name: string; state: string }

export const placed = (route: Route, { slug, name }: Named): Route => ({
  ...route,
  path: `/products/${slug}`,
  title: name,
})

const placements = new Map<string, Route>()

export function routeFor(pathname: string, products: Named[]): Route {
  const { route, params } = match(routes, pathname) ?? { route: notFound, params: {} }
  if (!params.slug) return route
  const known = placements.get(pathname)
  if (known) return known
  const product = products.find(({ slug, state }) => slug === params.slug && state === 'on sale')
  if (!product) return notFound
  const placement = placed(route, product)
  placements.set(pathname, placement)
  return placement
}

const modules = import.meta.glob<{ default: ComponentType }>('./features/**/*-page.tsx')
const loading = new Map<string, Promise<ComponentType>>()
const loaded = new Map<string, ComponentType>()

export function loadPage(route: Route): Promise<ComponentType> {
  const known = loading.get(route.page)
  if (known) return known
  const load = modules[`./features/${route.page}.tsx`]
  if (!load) throw new Error(`There is no page ${route.page}`)
  const promise = load().then(
    (module) => {
      loaded.set(route.page, module.default)
      return module.default
    },
    (error: unknown) => {
      loading.delete(route.page)
      throw error
    },
  )
  loading.set(route.page, promise)
  return promise
}

export function Page({ route }: { route: Route }) {
  return createElement(loaded.get(route.page) ?? use(loadPage(route)))
}
