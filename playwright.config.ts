import { availableParallelism } from 'node:os'
import { defineConfig, devices } from '@playwright/test'
import { findBrowser } from '#scripts/find-browser.ts'

export default defineConfig({
  testDir: 'e2e',
  outputDir: 'test-results/e2e',
  fullyParallel: true,
  // Cores plus one, because tests also wait for timers and the network.
  workers: Math.min(availableParallelism() + 1, 4),
  forbidOnly: Boolean(process.env.CI),
  // Ends tests that hang. Generous, because a slow machine must not fail a test.
  timeout: 120_000,
  // A busy machine must not block a release. `npm test` lists each test that needed the retry.
  retries: 1,
  expect: { timeout: 30_000 },
  reporter: 'list',
  // Playwright must not compile the built server, which some tests import.
  build: { external: ['**/dist/**'] },
  globalSetup: ['./scripts/fresh-build.ts', './server/testing/global-setup.ts'],
  use: {
    ...devices['Desktop Chrome'],
    // Tracing every test would double its time.
    trace: 'on-first-retry',
    // A click would wait for every animation to end.
    contextOptions: { reducedMotion: 'reduce' },
    launchOptions: {
      executablePath: browserOrExit(),
      args: [
        '--disable-gpu',
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
