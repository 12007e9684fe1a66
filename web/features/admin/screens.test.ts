import { expect, test } from 'vitest'
import { hasPermission, type Role } from '#contract/permissions.ts'
import { areasFor, pathOfHash, screenAt } from './screens.ts'

const areasOf = (person: { isAdmin: boolean; role: Role | null }) => areasFor((needs) => hasPermission(person, needs))
const adminAreas = areasOf({ isAdmin: true, role: null })
const support = areasOf({ isAdmin: false, role: 'support' })
const accountant = areasOf({ isAdmin: false, role: 'accountant' })
const titleAt = (pathname: string, areas = adminAreas) => screenAt(pathname, areas)?.route.title

test('every listed screen is found at its own address, in its own area', () => {
  for (const area of adminAreas)
    for (const { path, title } of area.listed) {
      expect(screenAt(path, adminAreas)?.route).toMatchObject({ title, area: { path: area.path } })
      expect(titleAt(`${path}/`)).toBe(title)
    }
})

test('a record has its id from the address and no place in the navigation', () => {
  expect(screenAt('/admin/customers/7f', adminAreas)).toMatchObject({
    params: { id: '7f' },
    route: { title: 'Customer', area: { path: '/admin/users' } },
  })
  expect(adminAreas.flatMap(({ listed }) => listed).some(({ path }) => path.includes(':'))).toBe(false)
  expect(titleAt('/admin/nowhere')).toBeUndefined()
})

test('the admin area opens with its first tab', () => {
  for (const address of ['/admin', '/admin/']) {
    expect(titleAt(address)).toBe('Assets')
    expect(titleAt(address, support)).toBe('Users')
  }
})

test('support has the screens for all staff, and only those', () => {
  expect(support.map(({ path }) => path)).toEqual([
    '/admin/users',
    '/admin/purchases',
    '/admin/access',
    '/admin/messages',
  ])
  expect(titleAt('/admin/customers/7f', support)).toBe('Customer')
  expect(titleAt('/admin/customers/7f/dashboard', support)).toBe('As the buyer sees it')
  for (const path of [
    '/admin/overview',
    '/admin/settings',
    '/admin/purchases/declarations',
    '/admin/messages/newsletter',
  ])
    expect(titleAt(path, support), path).toBeUndefined()
})

test('an accountant has the payments, and nothing else', () => {
  expect(accountant.flatMap(({ listed }) => listed.map(({ path }) => path))).toEqual([
    '/admin/purchases/payments',
    '/admin/purchases/payouts',
    '/admin/purchases/taxes',
  ])
  expect(titleAt('/admin', accountant)).toBe('Payments')
})

test('a screen is also found by its last path segment', () => {
  expect(titleAt('/admin/declarations')).toBe('Declarations')
  expect(titleAt('/admin/newsletter')).toBe('Newsletter addresses')
})

test('each letter leads to one area', () => {
  expect(new Set(adminAreas.map(({ letter }) => letter)).size).toBe(adminAreas.length)
})

test.for([
  ['#users', '/admin/users'],
  ['#Purchases', '/admin/purchases'],
  ['#declarations', '/admin/purchases/declarations'],
  ['#granted', undefined],
  ['#dashboard', undefined],
  ['', undefined],
] as const)('the hash %s, as in older emails, leads to %s', ([hash, path]) => {
  expect(pathOfHash(hash) || undefined).toBe(path)
})
