import { type ComponentType, createElement, use } from 'react'
import type { Access } from '#contract/endpoint.ts'
import { AsWritten } from './ui/as-written.tsx'

export type Route = {
  path: string
  /** The page's module below `features/`; its code is loaded when it is needed. */
  page: string
  title: string
  description: string
  access: Access
  /** Whether search engines may list it. */
  indexable: boolean
  /** Nothing on it but text and links: where the server has written it, its code is not needed. */
  plain?: boolean
  /** The address carries a secret, which must not travel as referrer. */
  secret?: boolean
}

const open = { access: 'public', indexable: true } as const
const unlisted = { access: 'public', indexable: false } as const
const buyers = { access: 'user', indexable: false } as const
const admins = { access: 'admin', indexable: false } as const

// biome-ignore format: one page a line
export const routes: Route[] = [
  { ...open, path: '/', page: 'home/home-page', plain: true, title: 'Premium Trading Indicators', description: 'Rule-based rebound signals for stocks and ETFs on TradingView. Built for execution, not noise.' },
  { ...open, path: '/products', page: 'products/products-page', title: 'Products', description: 'Professional TradingView indicators for rule-based entries and exits. Start with Rebound Sigma Pro.' },
  { ...open, path: '/products/rebound-sigma-pro', page: 'products/rebound-sigma-pro-page', title: 'Rebound Sigma Pro', description: 'Invite-only TradingView indicator for short-term rebounds in stocks and ETFs, with a backtest-ready strategy version and a monthly reviewed Rebound List.' },
  { ...open, path: '/about', page: 'about/about-page', title: 'About', description: 'Why we build rule-based trading indicators, the three principles behind them, and how to reach us.' },
  { ...unlisted, path: '/auth', page: 'auth/auth-page', title: 'Log in or sign up', description: 'Log in to your buyer area or create an account.' },
  { ...unlisted, path: '/forgot-password', page: 'auth/forgot-password-page', title: 'Forgot password', description: 'Request a link to set a new password.' },
  { ...unlisted, path: '/reset-password', page: 'auth/reset-password-page', title: 'Reset password', description: 'Set a new password for your account.', secret: true },
  { ...unlisted, path: '/checkout', page: 'checkout/checkout-page', title: 'Checkout', description: 'Review your order and pay securely by card.' },
  { ...unlisted, path: '/checkout/success', page: 'checkout/success-page', title: 'Payment', description: 'Your purchase and your TradingView access request.', secret: true },
  { ...unlisted, path: '/newsletter/confirm', page: 'newsletter/confirm-page', title: 'Confirm your subscription', description: 'Confirm that you want our newsletter.', secret: true },
  { ...unlisted, path: '/newsletter/unsubscribe', page: 'newsletter/unsubscribe-page', title: 'Unsubscribe', description: 'Leave our newsletter.', secret: true },
  { ...buyers, path: '/welcome', page: 'welcome/welcome-page', title: 'Welcome', description: 'What happens after your purchase.' },
  { ...buyers, path: '/setup-guide', page: 'setup-guide/setup-guide-page', title: 'Setup guide', description: 'From access to the first signal in six steps.' },
  { ...buyers, path: '/dashboard', page: 'dashboard/dashboard-page', title: 'Dashboard', description: 'Your subscriptions, invoices and recommended assets.' },
  { ...admins, path: '/admin', page: 'admin/admin-page', title: 'Admin', description: 'Recommended assets, users and purchases.' },
  { ...open, path: '/legal/terms', page: 'legal/terms-page', plain: true, title: 'Terms of Service', description: 'The terms under which Rebound Sigma Pro is sold: billing, cancellation, refunds, liability and law.' },
  { ...open, path: '/legal/privacy', page: 'legal/privacy-page', plain: true, title: 'Privacy Policy', description: 'Which personal data we process, why, for how long, with whom, and the rights you have.' },
  { ...open, path: '/legal/imprint', page: 'legal/imprint-page', plain: true, title: 'Imprint', description: 'Who runs this site and how to reach us.' },
]

export const notFound: Route = {
  ...unlisted,
  path: '*',
  page: 'not-found/not-found-page',
  plain: true,
  title: 'Page not found',
  description: 'This page does not exist.',
}

export function routeFor(pathname: string): Route {
  return routes.find((route) => route.path === pathname) ?? notFound
}

const modules = import.meta.glob<{ default: ComponentType }>('./features/*/*-page.tsx')
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
  const content = () => createElement(loaded.get(route.page) ?? use(loadPage(route)))
  return route.plain ? <AsWritten>{content}</AsWritten> : content()
}
