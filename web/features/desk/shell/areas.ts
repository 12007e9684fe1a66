import {
  ChartCandlestick,
  History,
  KeyRound,
  LayoutDashboard,
  type LucideIcon,
  MessageSquare,
  Receipt,
  Settings,
  Users,
} from 'lucide-react'
import { type ComponentType, lazy } from 'react'

type View = {
  name: string
  /** Where it stands; `:id` is one record, which no navigation lists. */
  path: string
  screen: ComponentType<{ id: string }>
}

export type Area = {
  name: string
  /** Pressed after `g`, it goes there. */
  key: string
  icon: LucideIcon
  /** The first is the area's own; the others stand beside it. */
  views: [View, ...View[]]
}

/** Every screen of the admin area, in the order of the navigation; each is loaded when it is opened. */
const areas: Area[] = [
  {
    name: 'Overview',
    key: 'o',
    icon: LayoutDashboard,
    views: [{ name: 'Overview', path: '/admin', screen: lazy(() => import('../overview/overview.tsx')) }],
  },
  {
    name: 'Assets',
    key: 't',
    icon: ChartCandlestick,
    views: [{ name: 'Assets', path: '/admin/assets', screen: lazy(() => import('../assets/assets.tsx')) }],
  },
  {
    name: 'Users',
    key: 'u',
    icon: Users,
    views: [
      { name: 'Users', path: '/admin/users', screen: lazy(() => import('../users/users.tsx')) },
      {
        name: 'Customer',
        path: '/admin/customers/:id',
        screen: lazy(() => import('../customers/customer.tsx')),
      },
      {
        name: 'As the buyer sees it',
        path: '/admin/customers/:id/dashboard',
        screen: lazy(() => import('../customers/see-as.tsx')),
      },
    ],
  },
  {
    name: 'Purchases',
    key: 'p',
    icon: Receipt,
    views: [
      {
        name: 'Purchases',
        path: '/admin/purchases',
        screen: lazy(() => import('../purchases/purchases.tsx')),
      },
      {
        name: 'Declarations',
        path: '/admin/purchases/declarations',
        screen: lazy(() => import('../declarations/declarations.tsx')),
      },
    ],
  },
  {
    name: 'Access',
    key: 'a',
    icon: KeyRound,
    views: [
      { name: 'Access', path: '/admin/access', screen: lazy(() => import('../access/access.tsx')) },
      { name: 'Granted', path: '/admin/access/granted', screen: lazy(() => import('../access/granted.tsx')) },
    ],
  },
  {
    name: 'Messages',
    key: 'm',
    icon: MessageSquare,
    views: [
      { name: 'Messages', path: '/admin/messages', screen: lazy(() => import('../messages/messages.tsx')) },
      {
        name: 'Newsletter',
        path: '/admin/messages/newsletter',
        screen: lazy(() => import('../messages/newsletter.tsx')),
      },
      {
        name: 'Reviews',
        path: '/admin/messages/reviews',
        screen: lazy(() => import('../reviews/reviews.tsx')),
      },
    ],
  },
  {
    name: 'Activity',
    key: 'y',
    icon: History,
    views: [
      { name: 'Activity', path: '/admin/activity', screen: lazy(() => import('../activity/activity.tsx')) },
    ],
  },
  {
    name: 'Settings',
    key: 's',
    icon: Settings,
    views: [
      { name: 'Settings', path: '/admin/settings', screen: lazy(() => import('../settings/settings.tsx')) },
    ],
  },
]

/** What support works with; the rest is for admins. */
const supportViews = new Set(['Users', 'Customer', 'Purchases', 'Access', 'Granted'])
const supportAreas = areas.flatMap((area): Area[] => {
  const [first, ...others] = area.views.filter(({ name }) => supportViews.has(name))
  return first ? [{ ...area, views: [first, ...others] }] : []
})
export const areasFor = ({ isAdmin }: { isAdmin: boolean }) => (isAdmin ? areas : supportAreas)

/** The three tabs of docs/product.md. */
export const isTab = ({ name }: Area) => ['Assets', 'Users', 'Purchases'].includes(name)

export const addressOf = ({ views }: Area) => views[0].path

export const listedViews = ({ views }: Area) => views.filter(({ path }) => !path.includes(':'))

/** What stands at an address, if anything does. */
export function placeAt(pathname: string, shown = areas) {
  for (const area of shown)
    for (const view of area.views) {
      const match = new RegExp(`^${view.path.replace(':id', '([\\w-]+)')}/?$`).exec(pathname)
      if (match) return { area, view, id: match[1] ?? '' }
    }
  return undefined
}

/** `/admin#users` and the like, as links in older emails have them. */
export function addressOfHash(hash: string) {
  const name = hash.slice(1).toLowerCase()
  const views = areas.flatMap((area) => [{ name: area.name, path: addressOf(area) }, ...listedViews(area)])
  return views.find((view) => view.name.toLowerCase() === name)?.path
}
