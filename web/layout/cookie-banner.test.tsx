// @vitest-environment happy-dom
import { expect, onTestFinished, test, vi } from 'vitest'
import type { SiteSettings } from '#contract/site/site-settings.ts'
import { SettingsProvider } from '#web/api/settings.tsx'
import { eventually, perform, render } from '#web/testing/render.tsx'
import { NavigationProvider } from '#web/ui/navigation.tsx'
import { CookieBanner, openCookieSettings } from './cookie-banner.tsx'

test('a visitor who opens the cookie settings during the region lookup decides, whatever the lookup says', async () => {
  const lookup = Promise.withResolvers<Response>()
  vi.stubGlobal('fetch', () => lookup.promise)
  onTestFinished(() => void vi.unstubAllGlobals())
  const settings = { cookieBanner: 'always', gaMeasurementId: null, regionLookupUrl: 'https://region.example' }
  await render(
    <SettingsProvider value={settings as SiteSettings}>
      <NavigationProvider pathname="/" load={() => Promise.resolve()}>
        <CookieBanner isSensitive={false} />
      </NavigationProvider>
    </SettingsProvider>,
  )
  await perform(openCookieSettings)
  await eventually(() => expect(document.body.textContent).toContain('Cookie Notice'))
  const response = Response.json({ country_code: 'US' })
  const readBody = vi.spyOn(response, 'json')
  await perform(() => lookup.resolve(response))
  await eventually(() => expect(readBody).toHaveResolved())
  await perform(() => {})
  expect(document.body.textContent).toContain('Cookie Notice')
  expect(JSON.stringify(window.dataLayer)).not.toContain('granted')
})
