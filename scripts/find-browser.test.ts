import { expect, test } from 'vitest'
import { findBrowser } from './find-browser.ts'

function machine(installed: string[], settings: Partial<Parameters<typeof findBrowser>[0]> = {}) {
  return {
    chromiumPath: undefined,
    platform: 'linux' as const,
    playwrightPath: '/cache/playwright/chrome',
    exists: (path: unknown) => typeof path === 'string' && installed.includes(path),
    mayInstall: false,
    install: () => installed.push('/usr/bin/chromium-headless-shell'),
    ...settings,
  }
}

test('the requested browser is used, and never another if it is missing', () => {
  const chromiumPath = '/opt/chromium'
  expect(findBrowser(machine(['/opt/chromium', '/usr/bin/chromium'], { chromiumPath }))).toBe('/opt/chromium')
  expect(() => findBrowser(machine(['/usr/bin/chromium'], { chromiumPath }))).toThrow('there is no such file')
})

test('an installed browser comes before Playwright’s own', () => {
  expect(findBrowser(machine(['/cache/playwright/chrome', '/usr/bin/google-chrome']))).toBe('/usr/bin/google-chrome')
  expect(findBrowser(machine(['/cache/playwright/chrome']))).toBe('/cache/playwright/chrome')
  const both = ['/usr/bin/chromium', '/usr/bin/chromium-headless-shell']
  expect(findBrowser(machine(both))).toBe('/usr/bin/chromium-headless-shell')
})

test('without a browser, Debian’s is installed where allowed; elsewhere a message says what to do', () => {
  expect(findBrowser(machine([], { mayInstall: true }))).toBe('/usr/bin/chromium-headless-shell')
  expect(() => findBrowser(machine([]))).toThrow('install Chrome or Chromium, or run `npx playwright install chromium`')
})
