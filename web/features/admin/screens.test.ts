import { expect, test } from 'vitest'
import { hasPermission, type Role } from '#contract/permissions.ts'
import { screenAt, screenGroupsFor } from './screens.ts'

const groupsOf = (person: { isAdmin: boolean; role: Role | null }) =>
  screenGroupsFor((needs) => hasPermission(person, needs))
const adminGroups = groupsOf({ isAdmin: true, role: null })
const support = groupsOf({ isAdmin: false, role: 'support' })
const accountant = groupsOf({ isAdmin: false, role: 'accountant' })
const titleAt = (pathname: string, groups = adminGroups) => screenAt(pathname, groups)?.route.title

test('every listed screen is found at its own address, in its own group', () => {
  for (const group of adminGroups)
    for (const { path, title } of group.listed) {
      expect(screenAt(path, adminGroups)?.route).toMatchObject({ title, group: { path: group.path } })
      expect(titleAt(`${path}/`)).toBe(title)
    }
})

test('a record has its id from the address and no place in the navigation', () => {
  expect(screenAt('/admin/customers/7f', adminGroups)).toMatchObject({
    params: { id: '7f' },
    route: { title: 'Customer', group: { path: '/admin/users' } },
  })
  expect(adminGroups.flatMap(({ listed }) => listed).some(({ path }) => path.includes(':'))).toBe(false)
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

test('each letter leads to one group', () => {
  expect(new Set(adminGroups.map(({ letter }) => letter)).size).toBe(adminGroups.length)
})
