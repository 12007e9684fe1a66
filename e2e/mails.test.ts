import { newsletter } from '#contract/site/newsletter.ts'
import { colorRules, expect, expectAccessible, overflowOf, test } from './shop.ts'

// Emails have no landmarks, so only WCAG rules apply.
const wcag = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']

test('every email reads well in light and dark mode, on a phone and on a desktop', async ({ page }) => {
  test.setTimeout(240_000)
  const [desktop, phone] = [
    { width: 800, height: 900 },
    { width: 360, height: 740 },
  ]
  await page.setViewportSize(phone)
  await page.goto('/dev/mails')
  const names = await page
    .getByRole('navigation')
    .getByRole('list')
    .last()
    .getByRole('link')
    .evaluateAll((links) =>
      links.map((link) => new URL((link as HTMLAnchorElement).href).searchParams.get('mail') ?? ''),
    )
  expect(names.length).toBeGreaterThan(20)
  const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor)
  // Emails with the same structure look alike, so each structure is checked once.
  const parts = () =>
    page.evaluate(() =>
      Array.from(
        document.querySelectorAll('body *'),
        (part) => `${part.parentElement?.closest('[class]')?.className} > ${part.localName}.${part.className}`,
      ),
    )
  const seen = new Set<string>()
  for (const name of names) {
    await page.emulateMedia({ colorScheme: 'light' })
    await page.goto(`/dev/mails/raw?mail=${encodeURIComponent(name)}`)
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    expect(await overflowOf(page), name).toBe(0)
    expect(await background(), name).toBe('rgb(247, 251, 249)')
    const madeOf = await parts()
    const isNew = madeOf.some((part) => !seen.has(part))
    for (const part of madeOf) seen.add(part)
    if (isNew) {
      await page.setViewportSize(desktop)
      await expectAccessible(page, { tags: wcag })
    }
    await page.emulateMedia({ colorScheme: 'dark' })
    expect(await background(), name).toBe('rgb(6, 15, 15)')
    if (isNew) {
      await expectAccessible(page, { rules: colorRules })
      await page.setViewportSize(phone)
    }
  }
})

test('a reader confirms and unsubscribes through emailed links; opening one does nothing yet', async ({
  page,
  shop,
}) => {
  const email = 'reader@example.com'
  await shop.visitor().call(newsletter.subscribe, { email })
  const mail = (await shop.mails()).find(({ to }) => to === email)
  const linkTo = (text: string | undefined) => /https?:[^\s>]+\/newsletter\/[^\s>]+/.exec(text ?? '')?.[0] ?? ''

  await page.goto(linkTo(mail?.text))
  await page.getByRole('button', { name: 'Confirm subscription' }).click()
  await expect(page.getByText("You've been added to our newsletter.")).toBeVisible()
  await page.goto(linkTo(mail?.headers['list-unsubscribe']))
  await page.getByRole('button', { name: 'Unsubscribe' }).click()
  await expect(page.getByText('You have been unsubscribed.')).toBeVisible()
})

test('sent emails can be viewed', async ({ page, shop }) => {
  await shop.visitor().call(newsletter.subscribe, { email: 'curious@example.com' })
  await shop.mails()
  await page.goto('/dev/mails')
  await page.getByRole('listitem').filter({ hasText: 'curious@example.com' }).getByRole('link').click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Please confirm your subscription')
  for (const scheme of ['light', 'dark'])
    await expect(
      page.frameLocator(`iframe[title=${scheme}]`).getByRole('heading', { name: 'Please confirm your subscription' }),
    ).toBeVisible()
})
