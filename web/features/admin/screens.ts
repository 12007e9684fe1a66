import {
  ChartCandlestick,
  Download,
  History,
  KeyRound,
  LayoutDashboard,
  type LucideIcon,
  MessageSquare,
  Receipt,
  Settings as SettingsIcon,
  Tag,
  Users as UsersIcon,
} from 'lucide-react'
import { type ComponentType, lazy } from 'react'
import type { Permission } from '#contract/permissions.ts'
import { match } from '#web/ui/navigation.tsx'
import People from './access/people.tsx'
import Todo from './access/todo.tsx'
import Activity from './activity/activity.tsx'
import Assets from './assets/assets.tsx'
import PayoutScreen from './bookkeeping/payout.tsx'
import Payouts from './bookkeeping/payouts.tsx'
import Taxes from './bookkeeping/taxes.tsx'
import Codes from './codes/codes.tsx'
import CustomerScreen from './customers/customer.tsx'
import SeeAs from './customers/see-as.tsx'
import Declarations from './declarations/declarations.tsx'
import Exports from './exports/exports.tsx'
import Messages from './messages/messages.tsx'
import Newsletter from './newsletters/addresses.tsx'
import Newsletters from './newsletters/newsletters.tsx'
import Figures from './overview/figures.tsx'
import Overview from './overview/overview.tsx'
import Prices from './prices/prices.tsx'
import AtStripe from './purchases/at-stripe.tsx'
import Payments from './purchases/payments.tsx'
import Purchases from './purchases/purchases.tsx'
import Reviews from './reviews/reviews.tsx'
import ServiceMessages from './service-messages/service-messages.tsx'
import Settings from './settings/settings.tsx'
import Connection from './tradingview/connection.tsx'
import Users from './users/users.tsx'

// Large and rarely opened, so they are loaded when they are.
const DisputeScreen = lazy(() => import('./disputes/dispute.tsx'))
const NewsletterScreen = lazy(() => import('./newsletters/one.tsx'))

type Screen = {
  /** `:id` is one record, which no navigation lists. */
  path: string
  title: string
  /** Title of the tab, if it differs from the screen's. */
  tab?: string
  needs: Permission
  /** Hides the tab while nothing waits there; address and search still work. */
  isOnlyWhileWaiting?: true
  show: ComponentType<{ id: string }>
}

type Definition = {
  /** Shortcut: `g` and then this letter. */
  letter: string
  /** Name in the navigation, if it differs from the first screen. */
  name?: string
  icon: LucideIcon
  /** Marks the three tabs of docs/product.md. */
  isTab?: boolean
  /** Shows it in the bar of a phone beside the tabs; other areas are behind “More”. */
  isInBar?: boolean
  /** The first screen has the area's path. */
  screens: readonly [Screen, ...Screen[]]
}

const table = [
  {
    letter: 'o',
    icon: LayoutDashboard,
    isInBar: true,
    screens: [
      { path: '/admin/overview', title: 'Overview', needs: 'figures.read', show: Overview },
      { path: '/admin/overview/figures', title: 'Figures', needs: 'figures.read', show: Figures },
    ],
  },
  {
    letter: 't',
    icon: ChartCandlestick,
    isTab: true,
    screens: [{ path: '/admin/assets', title: 'Assets', needs: 'content.write', show: Assets }],
  },
  {
    letter: 'u',
    icon: UsersIcon,
    isTab: true,
    screens: [
      { path: '/admin/users', title: 'Users', needs: 'customers.read', show: Users },
      { path: '/admin/customers/:id', title: 'Customer', needs: 'customers.read', show: CustomerScreen },
      { path: '/admin/customers/:id/dashboard', title: 'As the buyer sees it', needs: 'customers.read', show: SeeAs },
    ],
  },
  {
    letter: 'p',
    icon: Receipt,
    isTab: true,
    screens: [
      { path: '/admin/purchases', title: 'Purchases', needs: 'customers.read', show: Purchases },
      { path: '/admin/purchases/payments', title: 'Payments', needs: 'payments.read', show: Payments },
      { path: '/admin/purchases/payouts', title: 'Payouts', needs: 'payments.read', show: Payouts },
      { path: '/admin/purchases/payouts/:id', title: 'Payout', needs: 'payments.read', show: PayoutScreen },
      { path: '/admin/purchases/taxes', title: 'Taxes', needs: 'payments.read', show: Taxes },
      {
        path: '/admin/purchases/at-stripe',
        title: 'At Stripe',
        needs: 'purchases.manage',
        show: AtStripe,
        isOnlyWhileWaiting: true,
      },
      { path: '/admin/purchases/disputes/:id', title: 'Dispute', needs: 'money.refund', show: DisputeScreen },
      { path: '/admin/purchases/declarations', title: 'Declarations', needs: 'money.refund', show: Declarations },
    ],
  },
  {
    letter: 'f',
    name: 'Offer',
    icon: Tag,
    screens: [
      { path: '/admin/purchases/prices', title: 'Prices', needs: 'offer.write', show: Prices },
      { path: '/admin/purchases/codes', title: 'Codes', needs: 'offer.write', show: Codes },
    ],
  },
  {
    letter: 'a',
    icon: KeyRound,
    screens: [
      { path: '/admin/access', title: 'Access', tab: 'To do', needs: 'access.decide', show: Todo },
      { path: '/admin/access/people', title: 'People', needs: 'access.decide', show: People },
      { path: '/admin/access/connection', title: 'Connection', needs: 'access.manage', show: Connection },
    ],
  },
  {
    letter: 'm',
    icon: MessageSquare,
    screens: [
      { path: '/admin/messages', title: 'Messages', needs: 'customers.help', show: Messages },
      {
        path: '/admin/messages/service',
        title: 'Service messages',
        tab: 'To all customers',
        needs: 'content.write',
        show: ServiceMessages,
      },
      { path: '/admin/messages/newsletters', title: 'Newsletter', needs: 'content.write', show: Newsletters },
      { path: '/admin/messages/newsletters/:id', title: 'Newsletter', needs: 'content.write', show: NewsletterScreen },
      {
        path: '/admin/messages/newsletter',
        title: 'Newsletter addresses',
        tab: 'Addresses',
        needs: 'content.write',
        show: Newsletter,
      },
      { path: '/admin/messages/reviews', title: 'Reviews', needs: 'content.write', show: Reviews },
    ],
  },
  {
    letter: 'e',
    icon: Download,
    screens: [{ path: '/admin/exports', title: 'Exports', needs: 'people.manage', show: Exports }],
  },
  {
    letter: 'y',
    icon: History,
    screens: [{ path: '/admin/activity', title: 'Activity', needs: 'people.manage', show: Activity }],
  },
  {
    letter: 's',
    icon: SettingsIcon,
    screens: [{ path: '/admin/settings', title: 'Settings', needs: 'settings.write', show: Settings }],
  },
] as const satisfies Definition[]

/** Every address of the admin area; `:id` is any record's. */
export const adminPaths = table.flatMap(({ screens }) => screens.map(({ path }) => path))

export type AdminPath = (typeof table)[number]['screens'][number]['path']
type Listed<Path> = Path extends `${string}:${string}` ? never : Path
export type Area = Omit<Definition, 'screens'> & {
  title: string
  path: Listed<AdminPath>
  screens: readonly Screen[]
  listed: { path: Listed<AdminPath>; title: string; tab?: string; isOnlyWhileWaiting?: true }[]
}

const isListed = (path: AdminPath): path is Listed<AdminPath> => !path.includes(':')

export function areasFor(has: (permission: Permission) => boolean): Area[] {
  return table.flatMap(({ screens, ...area }) => {
    const open = screens.filter(({ needs }) => has(needs))
    const listed = open.flatMap((screen) => (isListed(screen.path) ? [{ ...screen, path: screen.path }] : []))
    const [first] = listed
    return first
      ? [{ ...area, path: first.path, title: 'name' in area ? area.name : first.title, screens: open, listed }]
      : []
  })
}

/** Finds the screen and area of an address; `/admin` is the first tab. */
export function screenAt(pathname: string, areas: Area[]) {
  const all = areas.flatMap((area) => area.screens.map((screen) => ({ ...screen, area })))
  const address = pathname.replace(/\/$/, '')
  const first = areas.find(({ isTab }) => isTab)
  if (address === '/admin' && first) return match(all, first.path)
  const named = all.find(({ path }) => !path.includes(':') && path.endsWith(address.slice('/admin'.length)))
  return match(all, named ? named.path : address)
}

/** Reads `/admin#users`, a form that earlier emails link to. */
export function pathOfHash(hash: string) {
  const [, name] = /^#([a-z]+)$/.exec(hash.toLowerCase()) ?? []
  const paths = areasFor(() => true).flatMap(({ listed }) => listed.map(({ path }) => path))
  return name && paths.find((path) => path.endsWith(`/${name}`))
}
