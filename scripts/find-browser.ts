import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { chromium } from '@playwright/test'

const usualPaths: Partial<Record<NodeJS.Platform, string[]>> = {
  linux: [
    // The headless shell needs half the processor time for the same tests.
    '/usr/bin/chromium-headless-shell',
    '/usr/bin/chromium',
    '/usr/bin/chromium-browser',
    '/usr/bin/google-chrome-stable',
    '/usr/bin/google-chrome',
    '/opt/google/chrome/chrome',
    '/snap/bin/chromium',
  ],
  darwin: ['', homedir()].flatMap((home) => [
    `${home}/Applications/Google Chrome.app/Contents/MacOS/Google Chrome`,
    `${home}/Applications/Chromium.app/Contents/MacOS/Chromium`,
  ]),
  win32: ['PROGRAMFILES', 'PROGRAMFILES(X86)', 'LOCALAPPDATA'].map(
    (folder) => `${process.env[folder]}\\Google\\Chrome\\Application\\chrome.exe`,
  ),
}

const thisMachine = {
  chromiumPath: process.env.CHROMIUM_PATH,
  platform: process.platform,
  playwrightPath: chromium.executablePath(),
  exists: existsSync,
  mayInstall: process.getuid?.() === 0 && existsSync('/usr/bin/apt-get') && existsSync('/etc/debian_version'),
  install() {
    console.log('No Chrome or Chromium found: installing Debian’s chromium-headless-shell …')
    execFileSync('apt-get', ['update', '-qq'], { stdio: 'inherit' })
    execFileSync('apt-get', ['install', '-qq', '-y', '--no-install-recommends', 'chromium-headless-shell'], {
      stdio: 'inherit',
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    })
  },
}

export function findBrowser(machine = thisMachine): string {
  if (machine.chromiumPath) {
    if (machine.exists(machine.chromiumPath)) return machine.chromiumPath
    throw new Error(`CHROMIUM_PATH is ${machine.chromiumPath}, but there is no such file`)
  }
  const paths = [...(usualPaths[machine.platform] ?? []), machine.playwrightPath]
  const findInstalled = () => paths.find((path) => machine.exists(path))
  if (!findInstalled() && machine.mayInstall) machine.install()
  const browser = findInstalled()
  if (browser) return browser
  throw new Error(
    'No browser found: install Chrome or Chromium, or run `npx playwright install chromium`, or set CHROMIUM_PATH',
  )
}

export function openBrowser(...args: string[]) {
  // Chromium refuses to start with its own sandbox as root.
  const isRoot = process.getuid?.() === 0
  return chromium.launch({ executablePath: findBrowser(), args: isRoot ? [...args, '--no-sandbox'] : args })
}
