import { availableParallelism } from 'node:os'
import { defineConfig, devices } from '@playwright/test'
import { findBrowser } from '#scripts/find-browser.ts'

export default defineConfig({
  testDir: 'e2e',
  outputDir: 'test-results/e2e',
  fullyParallel: true,
  // Cores plus one, because tests also wait for timers and an idle network.
  workers: Math.min(availableParallelism() + 1, 4),
  forbidOnly: Boolean(process.env.CI),
  // Only to end what hangs: a busy machine is no failure.
  timeout: 120_000,
  // So that a busy machine does not block a release; `npm test` names what needed it, and that is a bug to find.
  retries: 1,
  expect: { timeout: 30_000 },
  reporter: 'list',
  // The bundle runs as it is.
  build: { external: ['**/dist/**'] },
  globalSetup: ['./scripts/fresh-build.ts', './server/testing/global-setup.ts'],
  use: {
    ...devices['Desktop Chrome'],
    // A trace of every test costs as much as the test, and a screenshot is taken before it is known whether it failed.
    trace: 'on-first-retry',
    // Nothing fades or slides: a click would wait until it is over, and software draws every frame.
    contextOptions: { reducedMotion: 'reduce' },
    launchOptions: {
      executablePath: browserOrExit(),
      args: [
        '--disable-gpu',
        // Hardly any room for what is drawn: no test looks at pixels, and drawing it is a sixth of the browser’s work.
        '--force-gpu-mem-available-mb=1',
        // A test calls few of a page’s functions: compiled when they are called, they cost a seventh less.
        '--js-flags=--max-lazy',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        `--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost${process.env.STRIPE_SECRET_KEY ? ', EXCLUDE *.stripe.com, EXCLUDE *.stripe.network' : ''}`,
        ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
      ],
    },
  },
})

function browserOrExit() {
  try {
    return findBrowser()
  } catch (error) {
    console.error(String(error))
    return process.exit(1)
  }
}
