import { expect, test } from 'vitest'
import { match } from './navigation.tsx'

const routes = [
  { path: '/' },
  { path: '/products' },
  { path: '/customers/:id' },
  { path: '/customers/:id/notes/:note' },
  { path: '/admin', matchesLongerPaths: true },
]
const matchOf = (pathname: string) => {
  const { route, params } = match(routes, pathname) ?? {}
  return [route?.path, params]
}

test('a route matches only its exact path', () => {
  expect(matchOf('/')).toEqual(['/', {}])
  expect(matchOf('/products')).toEqual(['/products', {}])
  for (const otherPath of ['/product', '/products/', '/products/more', '/Products', '//', ''])
    expect(match(routes, otherPath), otherPath).toBeUndefined()
})

test('a parameter matches one segment of the address, which must not be empty', () => {
  expect(matchOf('/customers/a-1')).toEqual(['/customers/:id', { id: 'a-1' }])
  expect(matchOf('/customers/a/notes/b')).toEqual(['/customers/:id/notes/:note', { id: 'a', note: 'b' }])
  expect(match(routes, '/customers/')).toBeUndefined()
  expect(match(routes, '/customers//notes/b')).toBeUndefined()
})

test('a route with `matchesLongerPaths` matches any longer path, but no longer name', () => {
  expect(matchOf('/admin')).toEqual(['/admin', {}])
  expect(matchOf('/admin/users/1')).toEqual(['/admin', {}])
  expect(match(routes, '/administrator')).toBeUndefined()
})
