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
  Users as UsersIcon,
} from 'lucide-react'
import type { ComponentType } from 'react'
import { match } from '#web/ui/navigation.tsx'
import People from './access/people.tsx'
import Todo from './access/todo.tsx'
import Activity from './activity/activity.tsx'
import Assets from './assets/assets.tsx'
import Codes from './codes/codes.tsx'
import CustomerScreen from './customers/customer.tsx'
import SeeAs from './customers/see-as.tsx'
import Declarations from './declarations/declarations.tsx'
import Exports from './exports/exports.tsx'
import Messages from './messages/messages.tsx'
import Newsletter from './messages/newsletter.tsx'
import Newsletters from './newsletters/newsletters.tsx'
import NewsletterScreen from './newsletters/one.tsx'
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

type Screen = {
  /** `:id` is one record, which no navigation lists. */
  path: string
  title: string
  /** What it is called beside the area's other screens, if not by its title. */
  tab?: string
  access: 'staff' | 'admin'
  show: ComponentType<{ id: string }>
}

type Definition = {
  /** Pressed after `g`, it goes there. */
  letter: string
  icon: LucideIcon
  /** One of the three tabs of docs/product.md. */
  isTab?: boolean
  /** On a phone, the bar has room for these; the others are behind “More”. */
  isInBar?: boolean
  /** The first one is the area's own. */
  screens: readonly [Screen, ...Screen[]]
}

// biome-ignore format: one screen a line
const table = [
  { letter: 'o', icon: LayoutDashboard, isInBar: true, screens: [
    { path: '/admin/overview', title: 'Overview', access: 'admin', show: Overview },
    { path: '/admin/overview/figures', title: 'Figures', access: 'admin', show: Figures },
  ] },
  { letter: 't', icon: ChartCandlestick, isTab: true, screens: [
    { path: '/admin/assets', title: 'Assets', access: 'admin', show: Assets },
  ] },
  { letter: 'u', icon: UsersIcon, isTab: true, isInBar: true, screens: [
    { path: '/admin/users', title: 'Users', access: 'staff', show: Users },
    { path: '/admin/customers/:id', title: 'Customer', access: 'staff', show: CustomerScreen },
    { path: '/admin/customers/:id/dashboard', title: 'As the buyer sees it', access: 'staff', show: SeeAs },
  ] },
  { letter: 'p', icon: Receipt, isTab: true, isInBar: true, screens: [
    { path: '/admin/purchases', title: 'Purchases', access: 'staff', show: Purchases },
    { path: '/admin/purchases/payments', title: 'Payments', access: 'admin', show: Payments },
    { path: '/admin/purchases/at-stripe', title: 'At Stripe', access: 'admin', show: AtStripe },
    { path: '/admin/purchases/declarations', title: 'Declarations', access: 'admin', show: Declarations },
    { path: '/admin/purchases/prices', title: 'Prices', access: 'admin', show: Prices },
    { path: '/admin/purchases/codes', title: 'Codes', access: 'admin', show: Codes },
  ] },
  { letter: 'a', icon: KeyRound, isInBar: true, screens: [
    { path: '/admin/access', title: 'Access', tab: 'To do', access: 'staff', show: Todo },
    { path: '/admin/access/people', title: 'People', access: 'staff', show: People },
    { path: '/admin/access/connection', title: 'Connection', access: 'admin', show: Connection },
  ] },
  { letter: 'm', icon: MessageSquare, screens: [
    { path: '/admin/messages', title: 'Messages', access: 'staff', show: Messages },
    { path: '/admin/messages/service', title: 'Service messages', tab: 'To all customers', access: 'admin', show: ServiceMessages },
    { path: '/admin/messages/newsletters', title: 'Newsletter', access: 'admin', show: Newsletters },
    { path: '/admin/messages/newsletters/:id', title: 'Newsletter', access: 'admin', show: NewsletterScreen },
    { path: '/admin/messages/newsletter', title: 'Newsletter addresses', tab: 'Addresses', access: 'admin', show: Newsletter },
    { path: '/admin/messages/reviews', title: 'Reviews', access: 'admin', show: Reviews },
  ] },
  { letter: 'e', icon: Download, screens: [
    { path: '/admin/exports', title: 'Exports', access: 'admin', show: Exports },
  ] },
  { letter: 'y', icon: History, screens: [
    { path: '/admin/activity', title: 'Activity', access: 'admin', show: Activity },
  ] },
  { letter: 's', icon: SettingsIcon, screens: [
    { path: '/admin/settings', title: 'Settings', access: 'admin', show: Settings },
  ] },
] as const satisfies Definition[]

/** Every address of the admin area; `:id` is any record's. */
export const adminPaths = table.flatMap(({ screens }) => screens.map(({ path }) => path))

export type DeskPath = (typeof table)[number]['screens'][number]['path']
type Listed<Path> = Path extends `${string}:${string}` ? never : Path
export type Area = Omit<Definition, 'screens'> & {
  title: string
  path: Listed<DeskPath>
  screens: readonly Screen[]
  listed: { path: Listed<DeskPath>; title: string; tab?: string }[]
}

const isListed = (path: DeskPath): path is Listed<DeskPath> => !path.includes(':')

export function areasFor({ isAdmin }: { isAdmin: boolean }): Area[] {
  return table.flatMap(({ screens, ...area }) => {
    const open = screens.filter(({ access }) => isAdmin || access === 'staff')
    const listed = open.flatMap((screen) => (isListed(screen.path) ? [{ ...screen, path: screen.path }] : []))
    const [first] = listed
    return first ? [{ ...area, path: first.path, title: first.title, screens: open, listed }] : []
  })
}

/** The screen at an address, and the area it belongs to. The desk opens with the first of its tabs. */
export function screenAt(pathname: string, areas: Area[]) {
  const all = areas.flatMap((area) => area.screens.map((screen) => ({ ...screen, area })))
  const address = pathname.replace(/\/$/, '')
  const first = areas.find(({ isTab }) => isTab)
  if (address === '/admin' && first) return match(all, first.path)
  const named = all.find(({ path }) => !path.includes(':') && path.endsWith(address.slice('/admin'.length)))
  return match(all, named ? named.path : address)
}

/** `/admin#users` and the like, as older emails have them. */
export function pathOfHash(hash: string) {
  const [, name] = /^#([a-z]+)$/.exec(hash.toLowerCase()) ?? []
  const paths = areasFor({ isAdmin: true }).flatMap(({ listed }) => listed.map(({ path }) => path))
  return name && paths.find((path) => path.endsWith(`/${name}`))
}
