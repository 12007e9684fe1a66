// @vitest-environment happy-dom
import { beforeEach, expect, test, vi } from 'vitest'
import { perform, render } from '#web/testing/render.tsx'
import { Link, NavigationProvider, useNavigation } from './navigation.tsx'

beforeEach(() => history.replaceState(null, '', '/'))

/** Site whose page code loads when the test says so. */
async function openSite() {
  const loads = new Map<string, PromiseWithResolvers<unknown>>()
  const load = (pathname: string) => {
    const coming = loads.get(pathname) ?? Promise.withResolvers<unknown>()
    loads.set(pathname, coming)
    return coming.promise
  }
  const site = { place: '', isReturn: false, navigate: (_href: string) => {} }
  function Page() {
    const { pathname, search, isReturn, navigate } = useNavigation()
    Object.assign(site, { place: pathname + search, isReturn, navigate })
    return <Link href="/about">About</Link>
  }
  await render(
    <NavigationProvider pathname="/" load={load}>
      <Page />
    </NavigationProvider>,
  )
  return {
    site,
    asked: () => [...loads.keys()],
    go: (href: string) => perform(() => site.navigate(href)),
    arrives: (pathname: string) => perform(() => loads.get(pathname)?.resolve(undefined)),
    isGone: (pathname: string) => perform(() => loads.get(pathname)?.reject(new Error('404'))),
    back: () =>
      perform(() => {
        history.replaceState(null, '', '/')
        dispatchEvent(new PopStateEvent('popstate'))
      }),
  }
}

test('the visitor keeps the page and its URL until the next page’s code has loaded', async () => {
  const { site, go, arrives } = await openSite()
  await go('/products?from=home')
  expect([site.place, location.pathname]).toEqual(['/', '/'])
  await arrives('/products')
  expect([site.place, location.pathname]).toEqual(['/products?from=home', '/products'])
})

test('a visitor who asks for two pages gets the last one, whichever loads first', async () => {
  const { site, go, arrives } = await openSite()
  await go('/about')
  await go('/products')
  await arrives('/products')
  await arrives('/about')
  expect([site.place, location.pathname]).toEqual(['/products', '/products'])
})

test('going back is distinguished from going forward', async () => {
  const { site, go, arrives, back } = await openSite()
  await go('/products')
  await arrives('/products')
  expect(site.isReturn).toBe(false)
  await back()
  await arrives('/')
  expect(site).toMatchObject({ place: '/', isReturn: true })
})

test('when a release removes a page’s code, the browser loads the page itself', async () => {
  const { site, go, isGone } = await openSite()
  const assign = vi.spyOn(location, 'assign').mockImplementation(() => {})
  await go('/products')
  await isGone('/products')
  expect(assign).toHaveBeenCalledWith('/products')
  expect(site.place).toBe('/')
})

test('a link prefetches code on hover and leaves clicks with a modifier to the browser', async () => {
  const { site, asked, arrives } = await openSite()
  const link = document.querySelector('a')
  const click = async (init: MouseEventInit) => {
    const event = new MouseEvent('click', { bubbles: true, cancelable: true, ...init })
    // Otherwise the browser would follow the link.
    document.addEventListener('click', (late) => late.preventDefault(), { once: true })
    await perform(() => link?.dispatchEvent(event))
  }
  await perform(() => link?.dispatchEvent(new MouseEvent('pointerover', { bubbles: true })))
  expect(asked()).toEqual(['/about'])
  await arrives('/about')
  await click({ ctrlKey: true })
  await click({ button: 1 })
  expect(site.place).toBe('/')
  await click({})
  expect(site.place).toBe('/about')
})
