import type { CDPSession, Page } from '@playwright/test'
import { accounts } from '#contract/identity/accounts.ts'
import { codeAt } from '#server/features/identity/factors/factors.ts'
import { chooseFromMenu } from './admin-helpers.ts'
import { expect, expectAccessible, logInAs, test, testWithOwnShop } from './shop.ts'
import { declineCookies } from './visitors.ts'

test.beforeEach(({ page, shop }) => declineCookies(page, shop))

/** Chromium's virtual authenticator with user verification. */
async function addPhone(page: Page) {
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('WebAuthn.enable')
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  return { cdp, authenticatorId }
}
type Phone = { cdp: CDPSession; authenticatorId: string }

const setAutomaticTouch = ({ cdp, authenticatorId }: Phone, enabled: boolean) =>
  cdp.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled })

const confirmRecoveryCodes = async (page: Page) => {
  const dialog = page.getByRole('alertdialog', { name: 'Your recovery codes' })
  await expect(dialog.getByRole('listitem')).toHaveCount(10)
  await expectAccessible(page)
  const codes = await dialog.getByRole('listitem').allTextContents()
  // A page can prevent only the first Escape from closing a dialog.
  for (let press = 0; press < 3; press++) await page.keyboard.press('Escape')
  await dialog.getByLabel('I have stored them').check()
  await dialog.getByRole('button', { name: 'Done' }).click()
  return codes
}

async function logOut(page: Page) {
  // Leaves the page first, because an open page would store its address as the return path.
  await page.goto('about:blank')
  await page.context().clearCookies({ name: /^(?!bsl_cookie_consent)/ })

  await page.goto('/auth')
}

test('a passkey is created, renamed and used to log in, and a manipulated one is refused', async ({ page, shop }) => {
  const person = await shop.verifiedUser()
  await logInAs(page, person, shop)
  const phone = await addPhone(page)
  await page.goto('/account')
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  const row = page.getByRole('listitem').filter({ has: page.getByRole('button', { name: /^Rename/ }) })
  await expect(row).toContainText('Chrome')

  await row.getByRole('button', { name: /^Rename/ }).click()
  await page.getByLabel('Name', { exact: true }).fill('My own phone')
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(row).toContainText('My own phone')
  await expectAccessible(page)

  // Logs in with the autofill suggestion of the email field, which the virtual authenticator accepts immediately.
  await logOut(page)
  await expect(page.getByLabel('Email').first()).toHaveAttribute('autocomplete', 'username webauthn')
  const button = page.getByRole('button', { name: 'Log in with a passkey' })
  await expect(button).toBeVisible()
  await page.keyboard.press('Tab')
  await expect(page).toHaveURL('/dashboard')

  // Logs in with the button while the suggestion is pending.
  await setAutomaticTouch(phone, false)
  await logOut(page)
  await expect(button).toBeVisible()
  await setAutomaticTouch(phone, true)
  await button.click()
  await expect(page).toHaveURL('/dashboard')

  await setAutomaticTouch(phone, false)
  await logOut(page)
  await expect(button).toBeVisible()
  const refusal = page.getByText('This passkey wasn’t accepted.')

  // A manipulated page could turn off user verification, so the authenticator skips it.
  await page.route('**/api/auth/passkey/options', async (route) => {
    const response = await route.fetch()
    await route.fulfill({ json: { ...(await response.json()), userVerification: 'discouraged' } })
  })
  await phone.cdp.send('WebAuthn.setUserVerified', { authenticatorId: phone.authenticatorId, isUserVerified: false })

  const loginResponse = page.waitForResponse('**/api/auth/passkey')
  await setAutomaticTouch(phone, true)
  await button.click()
  expect((await loginResponse).status()).toBe(401)
  await expect(refusal).toBeVisible()
  await expectAccessible(page)
  await page.unroute('**/api/auth/passkey/options')
  await phone.cdp.send('WebAuthn.setUserVerified', { authenticatorId: phone.authenticatorId, isUserVerified: true })
})

test('a user changes the password, and the email address through an emailed link', async ({ page, shop }) => {
  const person = await shop.verifiedUser()
  await logInAs(page, person, shop)
  await shop.visitor().call(accounts.login, { email: person.user.email, password: person.password })
  await page.goto('/account')

  await page.getByRole('button', { name: 'Change password' }).click()
  await page.getByLabel('Current password', { exact: true }).fill(person.password)
  await page.getByLabel('New password', { exact: true }).fill('an entirely new password')
  await expectAccessible(page)

  await page.getByRole('dialog').getByRole('button', { name: 'Change password' }).click()
  await expect(page.getByText('Password changed', { exact: true })).toBeVisible()
  await expect(page.getByRole('region', { name: 'Where you’re logged in' }).getByRole('listitem')).toHaveCount(1)

  const email = `new-${person.user.email}`
  await page.getByRole('button', { name: 'Change email' }).click()
  await page.getByLabel('New email address').fill(email)
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Send the link' }).click()
  await expect(page.getByText('Your address changes when you use it')).toBeVisible()

  const mail = (await shop.mails()).findLast(({ to }) => to === email)
  await page.goto(/http\S+account\/link\S+/.exec(mail?.text ?? '')?.[0] ?? '')
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Confirm this address' }).click()
  await expect(page.getByRole('heading', { name: 'Address confirmed' })).toBeVisible()
  await page.getByRole('link', { name: 'Continue' }).click()
  await expect(page.getByRole('region', { name: 'Email address' })).toContainText(email)
})

test('support sees only the screens and buttons that its role permits', async ({ page, shop }) => {
  const support = await shop.staff('support')
  await logInAs(page, support, shop)
  await page.goto('/admin')
  await expect(page.getByRole('tab', { selected: true })).toHaveText('Users')
  const navigation = page.getByRole('navigation', { name: 'Admin' })
  await expect(page.getByRole('tab')).toHaveText(['Users', 'Purchases'])
  await expect(navigation.getByRole('link')).toHaveText(['Access', 'Messages'])
  await expect(page.getByText(support.user.email).first()).toBeVisible()
  await expect(page.getByRole('button', { name: /^(Add|Delete|Export|Role)/ })).toHaveCount(0)
  await expectAccessible(page)

  await navigation.getByRole('link', { name: 'Access' }).click()
  await expect(page.getByRole('heading', { name: 'Access', level: 1 })).toBeVisible()
  await expect(page.getByRole('navigation', { name: 'Access' }).getByRole('link')).toHaveText(['To do', 'People'])
})

test('a guest confirms the address after the payment and creates a passkey instead of a password', async ({
  page,
  shop,
}) => {
  const phone = await addPhone(page)
  const guest = shop.visitor()
  const { paymentIntentId } = await shop.guest(guest)
  await shop.settle()
  await logInAs(page, guest, shop)
  await page.goto(`/checkout/success?payment_intent=${paymentIntentId}`)
  await page.getByRole('button', { name: 'Confirm my email' }).click()
  await expect(page.getByText('We’ve emailed you a link.')).toBeVisible()
  await shop.settle()

  const link = /http\S+\/confirm-address\S+/
  const mail = (await shop.mails()).findLast(({ text }) => link.test(text))
  await page.goto(link.exec(mail?.text ?? '')?.[0] ?? '')
  await page.getByRole('button', { name: 'Confirm my address' }).click()
  await expect(page.getByRole('heading', { name: 'Your address is confirmed' })).toBeVisible()

  await page.goto(`/checkout/success?payment_intent=${paymentIntentId}`)
  await page.getByRole('button', { name: 'Create a passkey' }).click()
  await expect(page.getByText('Your passkey is ready.')).toBeVisible()
  await expectAccessible(page)
  await logOut(page)
  await expect(page.getByRole('button', { name: 'Log in with a passkey' })).toBeVisible()
  // The suggestion starts with the first interaction.
  await page.keyboard.press('Tab')
  await expect(page).toHaveURL('/dashboard')
  await phone.cdp.detach()
})

const testWithTwoFactor = testWithOwnShop({ ADMIN_TWO_FACTOR: 'required' })

testWithTwoFactor(
  'an admin logs in with an app code and confirms sensitive actions with another code',
  async ({ page, shop }) => {
    const { user, password } = await shop.admin()
    const appCode = (secret: string) => codeAt(secret, Math.floor(shop.clock.now().getTime() / 30_000))
    const logIn = async () => {
      await page.getByLabel('Email').first().fill(user.email)
      await page.getByLabel('Password', { exact: true }).first().fill(password)
      await page.getByRole('button', { name: 'Log In', exact: true }).click()
    }
    await page.goto('/auth')
    await logIn()
    await expect(page).toHaveURL('/account')
    await expect(page.getByText('This shop asks its admins for a second step.')).toBeVisible()
    await expectAccessible(page)
    await page.goto('/admin')
    await expect(page).toHaveURL('/account')

    await page.getByRole('button', { name: 'Set up an app' }).click()
    const dialog = page.getByRole('dialog', { name: 'Set up an authenticator app' })
    await expect(dialog.getByRole('img', { name: 'QR code for your authenticator app' })).toBeVisible()
    await expectAccessible(page)

    const secret = ((await dialog.locator('code').textContent()) ?? '').replaceAll(' ', '')
    await dialog.getByLabel('Code from the app').fill('123 456')
    await dialog.getByRole('button', { name: 'Turn on' }).click()
    await expect(dialog.getByRole('form').getByText('Wrong code.')).toBeVisible()
    await dialog.getByLabel('Code from the app').fill(appCode(secret))
    await dialog.getByRole('button', { name: 'Turn on' }).click()

    const [recoveryCode = ''] = await confirmRecoveryCodes(page)

    await page.getByRole('link', { name: 'Go to the admin area' }).click()
    await expect(page.getByRole('heading', { name: 'Assets', level: 1 })).toBeVisible()

    shop.clock.advance({ minutes: 1 })
    await logOut(page)
    await logIn()
    await page.getByLabel('Code from your authenticator app').fill(appCode(secret))
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Continue' }).click()
    await expect(page).toHaveURL('/dashboard')

    // Eleven minutes after the login, sensitive actions require a new code.
    const deletedUser = await shop.user({ name: 'Someone' })
    await page.goto('/admin/users')
    const row = page.getByRole('row').filter({ hasText: deletedUser.user.email })
    await chooseFromMenu(row, 'Change role')
    await expect(page.getByRole('dialog', { name: 'Change role' })).toBeVisible()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Cancel' }).click()
    await expect(page.getByRole('dialog', { name: 'Change role' })).toBeHidden()

    shop.clock.advance({ minutes: 11 })
    const proofDialog = page.getByRole('dialog', { name: 'Please confirm that it’s you' })
    const cancelProof = async () => {
      await expect(proofDialog).toBeVisible()
      await proofDialog.getByRole('button', { name: 'Cancel' }).click()
      await expect(proofDialog).toBeHidden()
    }
    const startDeletion = async () => {
      await chooseFromMenu(row, 'Delete user')
      await page.getByRole('alertdialog').getByRole('button', { name: 'Delete user' }).click()
    }

    await startDeletion()
    await cancelProof()
    await expect(row).toBeVisible()

    await page.goto('/admin/assets')
    await page.getByRole('button', { name: 'Export Buyers' }).click()
    await cancelProof()
    await expect(page.getByRole('button', { name: 'Export Buyers' })).toBeEnabled()

    await page.goto(`/admin/customers/${deletedUser.user.id}/dashboard`)
    await cancelProof()
    await expect(page.getByText('This page shows a customer’s data.')).toBeVisible()
    await expectAccessible(page)

    const toastRequests: string[] = []
    page.on('request', (request) => {
      if (request.url().includes('/assets/toaster-')) toastRequests.push(request.url())
    })
    await page.goto('/admin/settings')
    const name = page.getByLabel('Name or company')
    await name.fill('A Thief')
    // Reads "Saving..." until the refusal has been handled.
    const saveButton = page.getByRole('form', { name: 'Seller' }).getByRole('button', { name: 'Save' })
    await saveButton.click()
    await cancelProof()
    await expect(saveButton).toBeVisible()
    // A first toast loads its code before it appears.
    expect(toastRequests).toEqual([])
    await expect(name).toHaveValue('A Thief')
    await expect(page.getByText(/fail/i)).toHaveCount(0)
    page.on('dialog', (warning) => warning.accept())
    await page.goto('/admin/settings')
    await expect(name).toHaveValue('')

    await page.goto('/admin/users')
    await startDeletion()
    await expect(proofDialog).toBeVisible()
    await expectAccessible(page)
    await proofDialog.getByLabel('Code from your authenticator app').fill(appCode(secret))
    await proofDialog.getByRole('button', { name: 'Continue' }).click()
    await expect(page.getByText('User deleted successfully', { exact: true })).toBeVisible()

    // After losing the phone, the admin logs in with a recovery code.
    await logOut(page)
    await logIn()
    await page.getByRole('button', { name: 'I don’t have my device' }).click()
    await expectAccessible(page)
    await page.getByLabel('Recovery code').fill(recoveryCode)
    await page.getByRole('button', { name: 'Continue' }).click()
    await expect(page).toHaveURL('/account')
    await expect(page.getByText('You logged in with a recovery code.')).toBeVisible()
    await expect(page.getByText('9 of 10 recovery codes are left.')).toBeVisible()
  },
)
