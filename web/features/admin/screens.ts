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
import Addresses from './newsletters/addresses.tsx'
import Newsletters from './newsletters/newsletters.tsx'
import Figures from './overview/figures.tsx'
import Overview from './overview/overview.tsx'
import Prices from './prices/prices.tsx'
import AtStripe from './purchases/at-stripe.tsx'
import Payments from './purchases/payments.tsx'
import Purchases from './purchases/purchases.tsx'
import Reviews from './reviews/reviews.tsx'
import ServiceMessages from './service-messages/service-messages.tsx'
import Connection from './tradingview/connection.tsx'
import Users from './users/users.tsx'

// Loaded on demand, because these screens are large and rarely opened.
const DisputeScreen = lazy(() => import('./disputes/dispute.tsx'))
const NewsletterScreen = lazy(() => import('./newsletters/newsletter.tsx'))
const Settings = lazy(() => import('./settings/settings.tsx'))

type Screen = {
  /** A path with `:id` shows one record and is in no navigation. */
  path: string
  title: string
  tab?: string
  needs: Permission
  /** Hides only the tab while the screen has no open items; address and search still work. */
  isHiddenWhenEmpty?: true
  component: ComponentType<{ id: string }>
}

type ScreenGroupDefinition = {
  /** Shortcut: `g` and then this letter. */
  letter: string
  name?: string
  icon: LucideIcon
  /** True for Assets, Users and Purchases, the three tabs that `/admin` opens with. */
  isMainTab?: boolean
  /** Shows it in the bar of a phone beside the tabs; other groups are behind “More”. */
  isInBar?: boolean
  /** The first screen has the group's path. */
  screens: readonly [Screen, ...Screen[]]
}

const groupDefinitions = [
  {
    letter: 'o',
    icon: LayoutDashboard,
    isInBar: true,
    screens: [
      { path: '/admin/overview', title: 'Overview', needs: 'figures.read', component: Overview },
      { path: '/admin/overview/figures', title: 'Figures', needs: 'figures.read', component: Figures },
    ],
  },
  {
    letter: 't',
    icon: ChartCandlestick,
    isMainTab: true,
    screens: [{ path: '/admin/assets', title: 'Assets', needs: 'content.write', component: Assets }],
  },
  {
    letter: 'u',
    icon: UsersIcon,
    isMainTab: true,
    screens: [
      { path: '/admin/users', title: 'Users', needs: 'customers.read', component: Users },
      { path: '/admin/customers/:id', title: 'Customer', needs: 'customers.read', component: CustomerScreen },
      {
        path: '/admin/customers/:id/dashboard',
        title: 'As the buyer sees it',
        needs: 'customers.read',
        component: SeeAs,
      },
    ],
  },
  {
    letter: 'p',
    icon: Receipt,
    isMainTab: true,
    screens: [
      { path: '/admin/purchases', title: 'Purchases', needs: 'customers.read', component: Purchases },
      { path: '/admin/purchases/payments', title: 'Payments', needs: 'payments.read', component: Payments },
      { path: '/admin/purchases/payouts', title: 'Payouts', needs: 'payments.read', component: Payouts },
      { path: '/admin/purchases/payouts/:id', title: 'Payout', needs: 'payments.read', component: PayoutScreen },
      { path: '/admin/purchases/taxes', title: 'Taxes', needs: 'payments.read', component: Taxes },
      {
        path: '/admin/purchases/at-stripe',
        title: 'At Stripe',
        needs: 'purchases.manage',
        component: AtStripe,
        isHiddenWhenEmpty: true,
      },
      { path: '/admin/purchases/disputes/:id', title: 'Dispute', needs: 'money.refund', component: DisputeScreen },
      { path: '/admin/purchases/declarations', title: 'Declarations', needs: 'money.refund', component: Declarations },
    ],
  },
  {
    letter: 'f',
    name: 'Offer',
    icon: Tag,
    screens: [
      { path: '/admin/purchases/prices', title: 'Prices', needs: 'offer.write', component: Prices },
      { path: '/admin/purchases/codes', title: 'Codes', needs: 'offer.write', component: Codes },
    ],
  },
  {
    letter: 'a',
    icon: KeyRound,
    screens: [
      { path: '/admin/access', title: 'Access', tab: 'To do', needs: 'access.decide', component: Todo },
      { path: '/admin/access/people', title: 'People', needs: 'access.decide', component: People },
      { path: '/admin/access/connection', title: 'Connection', needs: 'access.manage', component: Connection },
    ],
  },
  {
    letter: 'm',
    icon: MessageSquare,
    screens: [
      { path: '/admin/messages', title: 'Messages', needs: 'customers.help', component: Messages },
      {
        path: '/admin/messages/service',
        title: 'Service messages',
        tab: 'To all customers',
        needs: 'content.write',
        component: ServiceMessages,
      },
      { path: '/admin/messages/newsletters', title: 'Newsletter', needs: 'content.write', component: Newsletters },
      {
        path: '/admin/messages/newsletters/:id',
        title: 'Newsletter',
        needs: 'content.write',
        component: NewsletterScreen,
      },
      {
        path: '/admin/messages/newsletter',
        title: 'Newsletter addresses',
        tab: 'Addresses',
        needs: 'content.write',
        component: Addresses,
      },
      { path: '/admin/messages/reviews', title: 'Reviews', needs: 'content.write', component: Reviews },
    ],
  },
  {
    letter: 'e',
    icon: Download,
    screens: [{ path: '/admin/exports', title: 'Exports', needs: 'people.manage', component: Exports }],
  },
  {
    letter: 'y',
    icon: History,
    screens: [{ path: '/admin/activity', title: 'Activity', needs: 'people.manage', component: Activity }],
  },
  {
    letter: 's',
    icon: SettingsIcon,
    screens: [{ path: '/admin/settings', title: 'Settings', needs: 'settings.write', component: Settings }],
  },
] as const satisfies ScreenGroupDefinition[]

export const adminPaths = groupDefinitions.flatMap(({ screens }) => screens.map(({ path }) => path))

export type AdminPath = (typeof groupDefinitions)[number]['screens'][number]['path']
type PathWithoutId<Path> = Path extends `${string}:${string}` ? never : Path
export type ScreenGroup = Omit<ScreenGroupDefinition, 'screens'> & {
  title: string
  path: PathWithoutId<AdminPath>
  screens: readonly Screen[]
  /** Screens in the navigation: those without `:id` in their path. */
  listed: { path: PathWithoutId<AdminPath>; title: string; tab?: string; isHiddenWhenEmpty?: true }[]
}

const isListed = (path: AdminPath): path is PathWithoutId<AdminPath> => !path.includes(':')

/** Groups without an allowed screen are left out. */
export function screenGroupsFor(isAllowed: (permission: Permission) => boolean): ScreenGroup[] {
  const groups: ScreenGroup[] = []
  for (const { screens, ...group } of groupDefinitions) {
    const allowedScreens = screens.filter(({ needs }) => isAllowed(needs))
    const listed: ScreenGroup['listed'] = []
    for (const screen of allowedScreens) {
      const { path } = screen
      if (isListed(path)) listed.push({ ...screen, path })
    }
    const [firstListed] = listed
    if (!firstListed) continue
    const title = 'name' in group ? group.name : firstListed.title
    groups.push({ ...group, path: firstListed.path, title, screens: allowedScreens, listed })
  }
  return groups
}

/** `/admin` is the first main tab. */
export function screenAt(pathname: string, groups: ScreenGroup[]) {
  const screens = groups.flatMap((group) => group.screens.map((screen) => ({ ...screen, group })))
  const address = pathname.replace(/\/$/, '')
  const firstMainTab = groups.find(({ isMainTab }) => isMainTab)
  return match(screens, address === '/admin' && firstMainTab ? firstMainTab.path : address)
}
