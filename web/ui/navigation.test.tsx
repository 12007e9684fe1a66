// @vitest-environment happy-dom
import { afterAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { perform, render } from '#web/testing/render.tsx'
import { Link, NavigationProvider, useNavigation } from './navigation.tsx'

beforeEach(() => history.replaceState(null, '', '/'))
afterAll(() => history.replaceState(null, '', '/'))

/** Opens a site whose page code loads when the test calls `finishLoading`. */
async function openSite() {
  const loads = new Map<string, PromiseWithResolvers<unknown>>()
  const load = (pathname: string) => {
    const pendingLoad = loads.get(pathname) ?? Promise.withResolvers<unknown>()
    loads.set(pathname, pendingLoad)
    return pendingLoad.promise
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
    requestedPaths: () => [...loads.keys()],
    navigateTo: (href: string) => perform(() => site.navigate(href)),
    finishLoading: (pathname: string) => perform(() => loads.get(pathname)?.resolve(undefined)),
    failLoading: (pathname: string) => perform(() => loads.get(pathname)?.reject(new Error('404'))),
    goBack: () =>
      perform(() => {
        history.replaceState(null, '', '/')
        dispatchEvent(new PopStateEvent('popstate'))
      }),
  }
}

function stubDocumentNavigation() {
  const assign = vi.spyOn(location, 'assign').mockImplementation(() => {})
  onTestFinished(() => assign.mockRestore())
  return assign
}

test('the visitor keeps the page and its URL until the next page’s code has loaded', async () => {
  const { site, navigateTo, finishLoading } = await openSite()
  await navigateTo('/products?from=home')
  expect([site.place, location.pathname]).toEqual(['/', '/'])
  await finishLoading('/products')
  expect([site.place, location.pathname]).toEqual(['/products?from=home', '/products'])
})

test('a visitor who asks for two pages gets the last one, whichever loads first', async () => {
  const { site, navigateTo, finishLoading } = await openSite()
  await navigateTo('/about')
  await navigateTo('/products')
  await finishLoading('/products')
  await finishLoading('/about')
  expect([site.place, location.pathname]).toEqual(['/products', '/products'])
})

test('going back is distinguished from going forward', async () => {
  const { site, navigateTo, finishLoading, goBack } = await openSite()
  await navigateTo('/products')
  await finishLoading('/products')
  expect(site.isReturn).toBe(false)
  await goBack()
  await finishLoading('/')
  expect(site).toMatchObject({ place: '/', isReturn: true })
})

test('when a release removes a page’s code, the browser loads the page itself', async () => {
  const { site, navigateTo, failLoading } = await openSite()
  const assign = stubDocumentNavigation()
  await navigateTo('/products')
  await failLoading('/products')
  expect(assign).toHaveBeenCalledWith('/products')
  expect(site.place).toBe('/')
})

test('a page whose code fails to load does not replace the one asked for later', async () => {
  const { site, navigateTo, finishLoading, failLoading } = await openSite()
  const assign = stubDocumentNavigation()
  await navigateTo('/about')
  await navigateTo('/products')
  await finishLoading('/products')
  await failLoading('/about')
  expect(assign).not.toHaveBeenCalled()
  expect(site.place).toBe('/products')
})

test('a link prefetches code on hover and leaves clicks with a modifier to the browser', async () => {
  const { site, requestedPaths, finishLoading } = await openSite()
  const link = document.querySelector('a')
  const click = async (init: MouseEventInit) => {
    const event = new MouseEvent('click', { bubbles: true, cancelable: true, ...init })
    // Otherwise the browser would follow the link.
    document.addEventListener('click', (late) => late.preventDefault(), { once: true })
    await perform(() => link?.dispatchEvent(event))
  }
  await perform(() => link?.dispatchEvent(new MouseEvent('pointerover', { bubbles: true })))
  expect(requestedPaths()).toEqual(['/about'])
  await finishLoading('/about')
  await click({ ctrlKey: true })
  await click({ button: 1 })
  expect(site.place).toBe('/')
  await click({})
  expect(site.place).toBe('/about')
})
