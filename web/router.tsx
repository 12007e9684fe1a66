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
  /** Starts at the top of the page, also on Back and on a reload. */
  beginsAtTop?: boolean
  /** Matches every longer address, too; the page chooses its screen by `features/admin/screens.ts`. */
  matchesLongerPaths?: boolean
  /** The address carries a secret, which must not be sent as referrer. */
  secret?: boolean
}

const indexed = { access: 'public', indexable: true } as const
const unlisted = { access: 'public', indexable: false } as const
const buyersOnly = { access: 'user', indexable: false } as const
const staffOnly = { access: 'staff', indexable: false } as const

const pages = [
  { ...indexed, path: '/', page: 'site/home/home-page', title: brand.headline },
  { ...indexed, path: '/products', page: 'site/products/products-page', title: 'Products' },
  { ...indexed, path: '/products/:slug', page: 'site/products/product-page', title: '', beginsAtTop: true },
  { ...indexed, path: '/about', page: 'site/about/about-page', title: 'About' },
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
  { ...buyersOnly, path: '/welcome', page: 'access/welcome/welcome-page', title: 'Welcome' },
  { ...buyersOnly, path: '/setup-guide', page: 'access/guide/setup-guide-page', title: 'Setup guide' },
  { ...buyersOnly, path: '/dashboard', page: 'access/dashboard/dashboard-page', title: 'Dashboard' },
  { ...buyersOnly, path: '/account', page: 'identity/account/account-page', title: 'Account' },
  { ...unlisted, path: '/account/link', page: 'site/links/mailed-link-page', title: 'Your account', secret: true },
  { ...staffOnly, path: '/admin', page: 'admin/admin-page', title: 'Admin', matchesLongerPaths: true },
  { ...indexed, path: '/help', page: 'site/content/help-page', title: 'Help' },
  { ...indexed, path: '/changelog', page: 'site/content/changelog-page', title: 'Changelog' },
  { ...indexed, path: '/reviews', page: 'site/reviews/reviews-page', title: 'Reviews' },
  { ...indexed, path: '/legal/terms', page: 'site/legal/terms-page', title: 'Terms of Service' },
  { ...indexed, path: '/legal/privacy', page: 'site/legal/privacy-page', title: 'Privacy Policy' },
  { ...indexed, path: '/legal/imprint', page: 'site/legal/imprint-page', title: 'Imprint' },
  { ...indexed, path: '/legal/accessibility', page: 'site/legal/accessibility-page', title: 'Accessibility' },
] as const satisfies Route[]
export const routes: readonly Route[] = pages

/** Path with any text in place of each `:parameter`. */
type FilledPath<Path extends string> = Path extends `${infer Before}/:${string}/${infer After}`
  ? `${Before}/${string}/${After}`
  : Path extends `${infer Before}/:${string}`
    ? `${Before}/${string}`
    : Path
type Address = FilledPath<(typeof pages)[number]['path'] | AdminPath>

// The type checker refuses links and navigation to addresses without a page.
declare module '#web/ui/navigation.tsx' {
  interface Addresses {
    href: Address | `${Address}?${string}` | `${Address}#${string}` | `#${string}`
  }
}

export const notFound: Route = { ...unlisted, path: '*', page: 'not-found/not-found-page', title: 'Page not found' }

type NamedProduct = { slug: string; name: string; state: string }

export const productRoute = (route: Route, { slug, name }: NamedProduct): Route => ({
  ...route,
  path: `/products/${slug}`,
  title: name,
})

/** Product routes by path. The same path must give the same object, because effects depend on the route. */
const productRoutes = new Map<string, Route>()

export function routeFor(pathname: string, products: NamedProduct[]): Route {
  const { route, params } = match(routes, pathname) ?? { route: notFound, params: {} }
  if (!params.slug) return route
  const cachedRoute = productRoutes.get(pathname)
  if (cachedRoute) return cachedRoute
  const product = products.find(({ slug, state }) => slug === params.slug && state === 'on sale')
  if (!product) return notFound
  const newRoute = productRoute(route, product)
  productRoutes.set(pathname, newRoute)
  return newRoute
}

const pageModules = import.meta.glob<{ default: ComponentType }>('./features/**/*-page.tsx')
const pagePromises = new Map<string, Promise<ComponentType>>()
const loadedPages = new Map<string, ComponentType>()

export function loadPage(route: Route): Promise<ComponentType> {
  const startedLoad = pagePromises.get(route.page)
  if (startedLoad) return startedLoad
  const load = pageModules[`./features/${route.page}.tsx`]
  if (!load) throw new Error(`There is no page ${route.page}`)
  const promise = load().then(
    (module) => {
      loadedPages.set(route.page, module.default)
      return module.default
    },
    (error: unknown) => {
      pagePromises.delete(route.page)
      throw error
    },
  )
  pagePromises.set(route.page, promise)
  return promise
}

export function Page({ route }: { route: Route }) {
  return createElement(loadedPages.get(route.page) ?? use(loadPage(route)))
}
