import type { Page } from '@playwright/test'
import type { TestShop } from '#server/testing/open-shop.ts'
import { expect, expectAccessibleInBothThemes, logInAs, overflowOf, test } from './shop.ts'
import { holdRequests, interceptLoginRedirect } from './visitors.ts'

const header = (page: Page) => page.getByRole('banner')

async function findResetLink(shop: TestShop, email: string) {
  const mail = (await shop.mails()).findLast(
    (candidate) => candidate.to === email && candidate.subject === 'Reset your password',
  )
  return /\/reset-password\?token=[\w-]+/.exec(mail?.text ?? '')?.[0] ?? ''
}

async function logIn(page: Page, email: string, password: string) {
  await page.getByLabel('Email', { exact: true }).fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Log In', exact: true }).click()
}

test.describe('the auth page', () => {
  test('says why a login failed, then logs in and opens the dashboard', async ({ page, shop }) => {
    const { user, password } = await shop.user({ name: 'Grace' })
    // The form works without the code that suggests passkeys.
    await page.route(/assets\/passkey-login-/, (route) => route.abort())
    const failedLoad = page.waitForEvent('requestfailed')
    await page.goto('/auth')
    await failedLoad
    const email = page.getByLabel('Email', { exact: true })
    const passwordField = page.getByLabel('Password', { exact: true })

    await expect(passwordField).toHaveAttribute('autocomplete', 'current-password')
    await expect(email).toHaveAttribute('autocomplete', 'username webauthn')
    await expect(email).toHaveAttribute('type', 'email')

    // The page loads the dashboard's code while the visitor types.
    const dashboardCode = page.waitForResponse(/assets\/dashboard-/)
    await email.pressSequentially('ada')
    await dashboardCode
    await email.fill(user.email)
    await passwordField.fill('not the password')

    await page.getByRole('button', { name: 'Show password' }).click()
    await expect(passwordField).toHaveAttribute('type', 'text')
    await page.getByRole('button', { name: 'Hide password' }).click()
    await expect(passwordField).toHaveAttribute('type', 'password')

    await passwordField.press('Enter')
    await expect(page.getByText('Login failed', { exact: true })).toBeVisible()
    await expect(page.getByRole('form', { name: 'Login' }).getByRole('alert')).toHaveText('Invalid email or password')
    await expect(page).toHaveURL('/auth')

    await page.getByRole('tab', { name: 'Login' }).press('Enter')
    await passwordField.fill(password)
    await page.getByRole('button', { name: 'Log In', exact: true }).click()
    await expect(page.getByText('Welcome back!', { exact: true })).toBeVisible()
    await expect(page).toHaveURL('/dashboard')
    await expect(header(page).getByRole('button', { name: 'Grace' })).toBeVisible()
  })

  test('names each invalid field at sign-up, then creates the account and opens the dashboard', async ({
    page,
    shop,
  }) => {
    const { user } = await shop.user()
    await page.goto('/auth')
    const name = page.getByLabel('Name')
    const email = page.getByLabel('Email', { exact: true })
    const password = page.getByLabel('Password', { exact: true })
    const create = page.getByRole('button', { name: 'Create Account' })
    await email.fill(user.email)
    await page.getByRole('tab', { name: 'Sign Up' }).click()
    await expect(email).toHaveValue(user.email)
    await expect(password).toHaveAttribute('autocomplete', 'new-password')
    await expect(page.getByText('Minimum 8 characters', { exact: true })).toBeVisible()

    await email.fill('')
    await password.fill('short')
    await create.click()
    await expect(name).toBeFocused()
    await expect(name).toHaveAccessibleDescription('Please enter your name')
    await expect(email).toHaveAccessibleDescription('Please enter a valid email address')
    await expect(password).toHaveAccessibleDescription(/Password must be at least 8 characters long/)
    await expect(password).toHaveAttribute('minlength', '8')

    await name.fill('Alan')
    await email.fill(user.email)
    await password.fill('password123')
    await create.click()
    await expect(password).toHaveAccessibleDescription(/This password is too common/)

    await password.fill('a fine long password')
    await create.click()
    await expect(page.getByText('Registration failed', { exact: true })).toBeVisible()
    await expect(page.getByRole('form', { name: 'Sign Up' }).getByRole('alert')).toContainText(
      'Could not create account',
    )

    await email.fill(`alan-${Date.now()}@example.com`)
    await create.click()
    await expect(page.getByText('Account created!', { exact: true })).toBeVisible()
    await expect(page).toHaveURL('/dashboard')
  })
})

test.describe('protected pages', () => {
  test('the dashboard sends a logged-out visitor to log in and back', async ({ page, shop }) => {
    const { user, password } = await shop.user()
    const loginRedirected = interceptLoginRedirect(page)
    await page.goto('/dashboard')
    await expect(page.getByText('Unauthorized', { exact: true })).toBeVisible()
    await expect(page.getByText('You are logged out. Logging in again...', { exact: true })).toBeVisible()
    await loginRedirected
    await page.getByRole('banner').getByRole('link', { name: 'Log In' }).click()
    await expect(page).toHaveURL('/auth')
    await logIn(page, user.email, password)
    await expect(page).toHaveURL('/dashboard')
  })

  test('a logged-out visitor is not redirected before the toast has loaded', async ({ page }) => {
    const toastRequested = Promise.withResolvers<void>()
    const toastReleased = Promise.withResolvers<void>()
    await page.route('**/toaster-*.js', async (route) => {
      toastRequested.resolve()
      await toastReleased.promise
      await route.continue()
    })
    let isRedirected = false
    await page.route('**/api/login', async (route) => {
      isRedirected = true
      await route.continue()
    })
    await page.clock.install()
    await page.goto('/dashboard')
    await toastRequested.promise
    await page.clock.runFor(10_000)
    await page.evaluate(() => fetch('/healthz'))
    expect(isRedirected).toBe(false)
    toastReleased.resolve()
    await expect(page).toHaveURL('/auth')
    expect(isRedirected).toBe(true)
  })

  test('the admin area shows buyers a toast for half a second after it slid in, then sends them home', async ({
    page,
    shop,
  }) => {
    await page.emulateMedia({ reducedMotion: 'no-preference' })
    await logInAs(page, await shop.user(), shop)
    await page.addInitScript(() => {
      addEventListener('animationstart', ({ target }) => {
        if (target instanceof Element && target.matches('[popover] > li'))
          for (const animation of target.getAnimations()) animation.pause()
      })
    })
    await page.clock.install()
    const toastRequested = page.waitForRequest('**/toaster-*.js')
    const releaseToast = await holdRequests(page, '**/toaster-*.js')
    await page.goto('/admin')
    await toastRequested
    await page.clock.pauseAt(Date.now() + 3_600_000)
    releaseToast()
    const toast = page.getByRole('listitem').filter({ hasText: "You don't have admin access." })
    const isSlideInPaused = async () => {
      await page.clock.runFor(20)
      return toast.evaluateAll((elements) =>
        elements.flatMap((element) => element.getAnimations()).some(({ playState }) => playState === 'paused'),
      )
    }
    await expect.poll(isSlideInPaused, { intervals: [0] }).toBe(true)

    const expectStillThereAfter = async (milliseconds: number) => {
      await page.clock.runFor(milliseconds)
      // A redirect first loads the code of the next page.
      await page.evaluate(() => fetch('/healthz'))
      await expect(page).toHaveURL('/admin')
    }
    // The toast would close after 5 seconds.
    await expectStillThereAfter(4000)
    await toast.evaluate((element) => {
      for (const animation of element.getAnimations()) animation.finish()
    })
    await expectStillThereAfter(450)
    await page.clock.resume()
    await expect(page).toHaveURL('/')
    await expect(header(page).getByRole('link', { name: 'Admin' })).toBeHidden()
  })

  test('a protected page sends a logged-out visitor to log in and back, unless they went elsewhere', async ({
    page,
    shop,
  }) => {
    const { user, password } = await shop.user()
    await page.goto('/setup-guide')
    await expect(page).toHaveURL('/auth')
    await header(page).getByRole('link', { name: 'About' }).click()
    await expect(page).toHaveURL('/about')
    await header(page).getByRole('link', { name: 'Log In' }).click()
    await logIn(page, user.email, password)
    await expect(page.getByText('Welcome Back, ')).toBeVisible()
    await expect(page).toHaveURL('/dashboard')

    await page.goto('/legal/imprint')
    await page.context().clearCookies()

    await page.goto('/admin')
    await expect(page).toHaveURL('/auth')
    await page.goto('/welcome')
    await expect(page).toHaveURL('/auth')
    await logIn(page, user.email, password)
    await expect(page).toHaveURL('/welcome')

    await test.step('a logged-in user who opens the login page goes to the dashboard', async () => {
      await page.goto('/auth')
      await expect(page).toHaveURL('/dashboard')
    })
  })
})

test('a user response that arrives before the page has hydrated does not break it', async ({ page, shop }) => {
  const buyer = await shop.user({ name: 'Patience' })
  await logInAs(page, buyer, shop)
  await page.addInitScript((user) => {
    const { fetch } = window
    window.fetch = async (address, init) => {
      if (address !== '/api/user') return await fetch(address, init)
      // Holds the rest of the hydration, which React schedules with messages.
      const { postMessage } = MessagePort.prototype
      const release = Promise.withResolvers<void>()
      Object.assign(window, { releaseHydration: release.resolve })
      MessagePort.prototype.postMessage = function (message: unknown) {
        void release.promise.then(() => postMessage.call(this, message))
      }
      return Response.json(user)
    }
  }, buyer.user)

  const requestedPaths: string[] = []
  page.on('request', (request) => requestedPaths.push(new URL(request.url()).pathname))

  // A page that logs an error fails its test.
  await page.goto('/dashboard')
  await page.waitForFunction(() => localStorage.getItem('user') !== null)
  await page.evaluate(() => (window as unknown as { releaseHydration: () => void }).releaseHydration())
  await expect(page.getByRole('heading', { name: 'Welcome Back, Patience' })).toBeVisible()
  expect(requestedPaths).not.toContain('/api/user')
})

test.describe('forgotten passwords', () => {
  test('an emailed link sets the password once and leads back to login', async ({ page, shop }) => {
    const { user } = await shop.user()
    await page.goto('/auth')
    await page.getByRole('link', { name: 'Forgot password?' }).click()
    await expect(page).toHaveURL('/forgot-password')
    await page.getByLabel('Email', { exact: true }).fill(user.email)
    await page.getByRole('button', { name: 'Send Reset Link' }).click()
    await expect(
      page.getByText('If an account exists with this email, you will receive a password reset link.'),
    ).toBeVisible()
    await expect(page.getByText(/spam folder/)).toBeVisible()
    await expect(page.getByRole('link', { name: 'Back to Login' })).toHaveAttribute('href', '/auth')

    await page.goto(await findResetLink(shop, user.email))
    await expect(page.getByText('Minimum 6 characters', { exact: true })).toBeVisible()

    const submit = page.getByRole('button', { name: 'Reset Password' })
    await page.getByLabel('New password', { exact: true }).fill('rare')
    await page.getByLabel('Confirm password', { exact: true }).fill('rare')
    await submit.click()
    await expect(page.getByText('Password too short', { exact: true })).toBeVisible()
    await expect(page.getByText('Password must be at least 6 characters long').first()).toBeVisible()

    await page.getByLabel('New password', { exact: true }).fill('a new password')
    await page.getByLabel('Confirm password', { exact: true }).fill('another password')
    await submit.click()
    await expect(page.getByText('Please make sure both passwords are the same', { exact: true })).toBeVisible()

    await page.getByLabel('Confirm password', { exact: true }).fill('a new password')
    await submit.click()
    await expect(page.getByText('Password reset successful.', { exact: true })).toBeVisible()
    await expect(page).toHaveURL('/auth')
    await expect(page.getByLabel('Email', { exact: true })).toHaveValue(user.email)
    await page.getByLabel('Password', { exact: true }).fill('a new password')
    await page.getByRole('button', { name: 'Log In', exact: true }).click()
    await expect(page).toHaveURL('/dashboard')
  })

  test('an invalid reset link offers a new one, and a link without a token leads to login', async ({ page }) => {
    const response = await page.goto('/reset-password?token=invented')
    // Keeps the token, which is part of the URL, out of the referrer.
    expect(response?.headers()['referrer-policy']).toBe('no-referrer')
    await expect(page.getByRole('heading', { name: 'This link has expired' })).toBeVisible()
    await expect(page.getByLabel('New password', { exact: true })).toHaveCount(0)
    await page.getByRole('main').getByRole('link', { name: 'Request a new link' }).click()
    await expect(page).toHaveURL('/forgot-password')

    await page.goto('/reset-password')
    await expect(page.getByText('Invalid reset link', { exact: true })).toBeVisible()
    await expect(page.getByRole('button', { name: 'Reset Password' })).toBeDisabled()
    await expect(page).toHaveURL('/auth')
  })
})

test('a guest without a password logs in with an emailed link, which works once', async ({ page, shop }) => {
  const { email } = await shop.guest(shop.visitor())
  await shop.settle()
  await page.goto('/auth')
  await page.getByRole('link', { name: 'Email me a login link' }).click()
  await page.getByLabel('Email', { exact: true }).fill(email)
  await page.getByRole('button', { name: 'Send Login Link' }).click()
  await expect(page.getByText('If an account exists with this email, you will receive a login link.')).toBeVisible()

  const mail = (await shop.mails()).findLast(({ to, subject }) => to === email && subject === 'Your login link')
  const link = /\/auth\/link\?token=[\w-]+/.exec(mail?.text ?? '')?.[0] ?? ''

  await page.goto(link)
  await page.getByRole('main').getByRole('button', { name: 'Log In' }).click()
  await expect(page).toHaveURL('/dashboard')

  await page.goto(link)
  await page.getByRole('main').getByRole('button', { name: 'Log In' }).click()
  await expect(page.getByRole('link', { name: 'Get a new link' })).toBeVisible()
})

test('the login and password pages are accessible in both themes and fit 1280 and 360 px', async ({ page }) => {
  for (const path of ['/auth', '/login-link', '/forgot-password', '/reset-password?token=any']) {
    await page.setViewportSize({ width: 1280, height: 800 })
    await page.goto(path)
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    if (path === '/auth') await page.getByRole('tab', { name: 'Sign Up' }).click()
    // The page of an invalid reset link has no form.
    if (!path.startsWith('/reset')) await page.getByRole('form').getByRole('button').last().click()
    await expectAccessibleInBothThemes(page)
    expect(await overflowOf(page), path).toBe(0)
    await page.setViewportSize({ width: 360, height: 800 })
    expect(await overflowOf(page), path).toBe(0)
  }
})

test('what is typed into the login form before its scripts load stays, beside a remembered address', async ({
  page,
}) => {
  await page.goto('/auth')
  await page.evaluate(() => sessionStorage.setItem('login-email', 'ada@example.com'))
  const release = await holdRequests(page, /\.js$/)
  await page.goto('/auth', { waitUntil: 'commit' })
  const password = page.getByLabel('Password', { exact: true })
  await password.pressSequentially('first half, ')
  release()
  await expect(page.getByLabel('Email', { exact: true })).toHaveValue('ada@example.com')
  await expect(password).toBeFocused()
  await page.keyboard.type('second half')
  await expect(password).toHaveValue('first half, second half')
})
