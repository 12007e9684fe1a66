import { expect, test } from 'vitest'
import { match } from './navigation.tsx'

const routes = [
  { path: '/' },
  { path: '/products' },
  { path: '/customers/:id' },
  { path: '/customers/:id/notes/:note' },
  { path: '/admin', below: true },
]
const found = (pathname: string) => {
  const { route, params } = match(routes, pathname) ?? {}
  return [route?.path, params]
}

test('an address finds its route, and nothing shorter or longer does', () => {
  expect(found('/')).toEqual(['/', {}])
  expect(found('/products')).toEqual(['/products', {}])
  for (const other of ['/product', '/products/', '/products/more', '/Products', '//', ''])
    expect(match(routes, other), other).toBeUndefined()
})

test('a parameter takes one part of the address, which must not be empty', () => {
  expect(found('/customers/a-1')).toEqual(['/customers/:id', { id: 'a-1' }])
  expect(found('/customers/a/notes/b')).toEqual(['/customers/:id/notes/:note', { id: 'a', note: 'b' }])
  expect(match(routes, '/customers/')).toBeUndefined()
  expect(match(routes, '/customers//notes/b')).toBeUndefined()
})

test('a route with more below it takes any rest, but only of its own', () => {
  expect(found('/admin')).toEqual(['/admin', {}])
  expect(found('/admin/users/1')).toEqual(['/admin', {}])
  expect(match(routes, '/administrator')).toBeUndefined()
})
