import { newsletter } from '#contract/site/newsletter.ts'
import { colorRules, expect, expectAccessible, test } from './shop.ts'

// Emails have no landmarks, so only WCAG rules apply.
const wcagTags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']

test('every email reads well in light and dark mode, on a phone and on a desktop', async ({ page }) => {
  test.setTimeout(240_000)
  const desktop = { width: 800, height: 900 }
  const phone = { width: 360, height: 740 }

  await page.setViewportSize(phone)
  await page.emulateMedia({ colorScheme: 'light' })
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

  const readLayout = () =>
    page.evaluate(() => {
      const { scrollWidth, clientWidth } = document.documentElement
      return {
        headings: document.querySelectorAll('h1').length,
        overflow: scrollWidth - clientWidth,
        background: getComputedStyle(document.body).backgroundColor,
        elementKinds: Array.from(
          document.querySelectorAll('body *'),
          (element) =>
            `${element.parentElement?.closest('[class]')?.className} > ${element.localName}.${element.className}`,
        ),
      }
    })

  // Axe runs only for emails with a new kind of element, because it takes long.
  const checkedKinds = new Set<string>()
  for (const name of names) {
    await page.goto(`/dev/mails/raw?mail=${encodeURIComponent(name)}`)
    const { elementKinds, ...layout } = await readLayout()
    expect(layout, name).toEqual({ headings: 1, overflow: 0, background: 'rgb(247, 251, 249)' })

    const hasNewKind = elementKinds.some((kind) => !checkedKinds.has(kind))
    for (const kind of elementKinds) checkedKinds.add(kind)
    if (!hasNewKind) continue

    await page.setViewportSize(desktop)
    await expectAccessible(page, { tags: wcagTags })

    await page.emulateMedia({ colorScheme: 'dark' })
    expect((await readLayout()).background, name).toBe('rgb(6, 15, 15)')
    await expectAccessible(page, { rules: colorRules })

    await page.emulateMedia({ colorScheme: 'light' })
    await page.setViewportSize(phone)
  }
})

test('a sent email can be viewed, and its links confirm and end the newsletter on a click', async ({ page, shop }) => {
  const email = 'reader@example.com'
  await shop.visitor().call(newsletter.subscribe, { email })
  const mail = (await shop.mails()).find(({ to }) => to === email)

  await page.goto('/dev/mails')
  await page.getByRole('listitem').filter({ hasText: email }).getByRole('link').first().click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Please confirm your subscription')
  for (const scheme of ['light', 'dark'])
    await expect(
      page.frameLocator(`iframe[title=${scheme}]`).getByRole('heading', { name: 'Please confirm your subscription' }),
    ).toBeVisible()

  const findNewsletterLink = (text: string | undefined) =>
    /https?:[^\s>]+\/newsletter\/[^\s>]+/.exec(text ?? '')?.[0] ?? ''
  await page.goto(findNewsletterLink(mail?.text))
  await page.getByRole('button', { name: 'Confirm subscription' }).click()
  await expect(page.getByText("You've been added to our newsletter.")).toBeVisible()

  await page.goto(findNewsletterLink(mail?.headers['list-unsubscribe']))
  await page.getByRole('button', { name: 'Unsubscribe' }).click()
  await expect(page.getByText('You have been unsubscribed.')).toBeVisible()
})
