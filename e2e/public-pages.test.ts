import type { Page } from '@playwright/test'
import { production } from '#server/testing/production.ts'
import { colorRules, expect, expectAccessible, logInAs, openShop, switchTheme, test } from './shop.ts'
import { boxOf, declineCookies } from './visitors.ts'

test.beforeEach(({ page, shop }) => declineCookies(page, shop))

const section = (page: Page, heading: string) =>
  page.locator('section').filter({ has: page.getByRole('heading', { name: heading, exact: true }) })

test('the home page shows the chart and the principles and leads to products and about', async ({ page, shop }) => {
  // Another year than the one in which the server rendered the page.
  await page.clock.setFixedTime('2041-06-15T12:00:00Z')
  await page.goto('/')
  const main = page.getByRole('main')
  await expect(main.getByRole('heading', { level: 1 })).toHaveText('Premium Trading Indicators')
  await expect(page.getByRole('img', { name: /^Illustrative daily candlestick chart/ })).toBeVisible()
  await expect(page.getByText('Simulated, daily. Three signals, one loss.')).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Built for Data-Driven Traders' })).toBeVisible()

  const principles = section(page, 'Three principles behind every rule').getByRole('listitem')
  await expect(principles.getByRole('heading')).toHaveText([
    'Evidence over Opinion',
    'Selectivity as an Edge',
    'Consistency through Rules',
  ])

  await test.step('the footer has its links, and test mode a link to the sandbox', async () => {
    const footer = page.getByRole('contentinfo')
    await expect(footer).toContainText(
      'Professional indicators for rule-based entries and exits. Built for execution, not noise.',
    )
    await expect(footer.getByRole('navigation', { name: 'Product' }).getByRole('link')).toHaveText([
      'Products',
      'Rebound Sigma Pro',
    ])
    const company = footer.getByRole('navigation', { name: 'Company' })
    await expect(company.getByRole('link')).toHaveText(['About', 'Support'])
    await expect(company.getByRole('link', { name: 'Support' })).toHaveAttribute(
      'href',
      `mailto:${shop.config.supportEmail}`,
    )
    await expect(footer).toContainText('© 2041 Rebound Sigma')
    await expect(footer.getByRole('navigation', { name: 'Legal' }).getByRole('link')).toHaveText([
      'Terms',
      'Privacy',
      'Imprint',
      'Accessibility',
      'Changelog',
      'Help',
    ])
    const contracts = footer.getByRole('navigation', { name: 'Contracts' })
    await expect(contracts.getByRole('link')).toHaveText([
      'Cancel contracts hereVerträge hier kündigen',
      'Withdraw from contract hereVertrag widerrufen',
    ])
    await expect(contracts.locator('[lang=de]')).toHaveCount(2)
    await expect(page.getByRole('link', { name: 'Open the payment sandbox' })).toHaveAttribute('href', '/_sandbox/')
  })

  await main.getByRole('link', { name: 'About Us' }).click()
  await expect(page).toHaveURL('/about')
  await page.goBack()

  const productLinks = main.locator('a[href="/products/rebound-sigma-pro"]')
  await expect(productLinks).toHaveCount(2)
  await expect(productLinks.first()).toContainText('Rebound Sigma Pro')

  await productLinks.last().click()
  await expect(page).toHaveURL('/products/rebound-sigma-pro')
  await page.goBack()

  await main.getByRole('link', { name: 'Explore Products' }).click()
  await expect(page).toHaveURL('/products')

  await test.step('the products page has one product and one card about products in development', async () => {
    await expect(main.getByRole('heading', { level: 2 })).toHaveText([
      'Rebound Sigma Pro',
      'More Products in Development',
    ])
    await expect(main.getByText('COMING SOON', { exact: true })).toBeVisible()
    await main.getByRole('link', { name: 'Rebound Sigma Pro' }).click()
    await expect(page).toHaveURL('/products/rebound-sigma-pro')
  })
})

test.describe('the product page', () => {
  test('shows its sections in order, opens one answer at a time, and replays the chart', async ({ page }) => {
    const replayFiles: string[] = []
    page.on('request', (request) => {
      if (request.url().includes('replay')) replayFiles.push(request.url())
    })
    await page.goto('/products/rebound-sigma-pro')
    await expect(
      page
        .getByRole('main')
        .getByRole('link', { name: /^Get access/ })
        .first(),
    ).toHaveAttribute('href', '/checkout?product=rebound-sigma-pro&billing=monthly')

    // Ignores the reviews section, which exists only if another test has written a review.
    const headings = page.getByRole('main').getByRole('heading', { level: 2 })
    await expect(headings.filter({ hasNotText: 'What Buyers Say' })).toHaveText([
      'Key Benefits',
      'How It Works',
      'Example Chart',
      'What You Get',
      'Frequently Asked Questions',
      'Early-Access Pricing',
    ])
    await expect(section(page, 'Key Benefits').getByRole('listitem')).toHaveCount(6)
    await expect(section(page, 'How It Works').getByRole('listitem')).toHaveCount(3)
    await expect(section(page, 'What You Get').getByRole('listitem')).toHaveCount(8)
    await expect(section(page, 'Frequently Asked Questions').locator('summary')).toHaveCount(8)
    await expect(section(page, 'Early-Access Pricing').getByRole('heading', { level: 3 })).toHaveText([
      'Monthly',
      'Yearly',
    ])

    const faq = section(page, 'Frequently Asked Questions')
    for (const fact of [
      /any symbol .* designed for stocks and ETFs/,
      /Daily charts.* 2–5 days.* not designed for intraday/,
      /strategy version/,
      /reviewed at least once a month/,
      /not automated trading/,
      /works on free TradingView accounts.* paid plan is recommended/,
      /Non-US markets work/,
      /data-driven traders/i,
    ])
      await expect(faq.locator('details').filter({ hasText: fact })).toHaveCount(1)

    const questions = section(page, 'Frequently Asked Questions').locator('details')
    const firstQuestion = questions.nth(0)
    const secondQuestion = questions.nth(1)
    await firstQuestion.locator('summary').click()
    await expect(firstQuestion).toHaveAttribute('open')
    await secondQuestion.locator('summary').press('Enter')
    await expect(secondQuestion).toHaveAttribute('open')
    await expect(firstQuestion).not.toHaveAttribute('open')
    await secondQuestion.locator('summary').click()
    await expect(secondQuestion).not.toHaveAttribute('open')

    const pricing = section(page, 'Early-Access Pricing')
    await expect(pricing).toContainText('$39per monthRegular price $49 per month')
    await expect(pricing).toContainText('$390per yearRegular price $490 per year')
    await expect(pricing.getByRole('link', { name: 'Buy Monthly - $39' })).toHaveAttribute(
      'href',
      '/checkout?product=rebound-sigma-pro&billing=monthly',
    )
    await expect(pricing.getByRole('link', { name: 'Buy Yearly - $390' })).toHaveAttribute(
      'href',
      '/checkout?product=rebound-sigma-pro&billing=yearly',
    )

    await test.step('the replay goes day by day and compares the number of trades, never their profit', async () => {
      await expect(page.getByRole('img', { name: /^Illustrative/ }).first()).toBeVisible()
      expect(replayFiles).toEqual([])
      await page.getByRole('button', { name: 'Replay' }).click()
      const replay = page.getByRole('figure', { name: 'Replay' })
      await expect(replay.getByRole('button', { name: 'Next day' })).toBeFocused()
      await page.keyboard.press('ArrowRight')
      await expect(replay.getByRole('status')).toContainText('Day 16. Nothing today.')
      await replay.getByRole('button', { name: 'I’d buy here' }).click()
      await replay.getByRole('button', { name: 'To the end' }).click()
      await expect(replay.getByRole('status')).toContainText(
        'The rules traded 3 times, and one trade ended at a loss. You would have traded once.',
      )
      await expectAccessible(page)
      await replay.getByRole('button', { name: 'Close' }).click()
      await expect(page.getByRole('button', { name: 'Replay' })).toBeVisible()
    })
  })

  test('links to its explanation, shows all trades at every width, and has a buy bar on a phone', async ({ page }) => {
    await page.emulateMedia({ reducedMotion: 'no-preference' })
    await page.goto('/products/rebound-sigma-pro')
    const heading = page.getByRole('heading', { name: 'How It Works' })
    await expect(heading).not.toBeInViewport()
    await page.getByRole('link', { name: 'Learn How It Works' }).click()
    await expect(heading).toBeInViewport()
    await expect(page).toHaveURL('/products/rebound-sigma-pro#how-it-works')

    for (const width of [1280, 320]) {
      await page.setViewportSize({ width, height: 800 })
      const labels = section(page, 'Example Chart').locator('svg[role=img] text')
      await expect(labels).toHaveText(['Entry', 'Exit', 'Entry', 'Exit', 'Entry', 'Exit', '+2σ', 'mean', '−2σ'])
      for (const label of await labels.all()) {
        const labelBox = await boxOf(label)
        expect(labelBox.x).toBeGreaterThanOrEqual(0)
        expect(labelBox.x + labelBox.width).toBeLessThanOrEqual(width)
      }
    }

    await page.setViewportSize({ width: 360, height: 740 })
    await page.evaluate(() => scrollTo({ top: 0, behavior: 'instant' }))
    const buyBar = page.getByRole('main').getByRole('link', { name: 'Get access', exact: true })
    // The bar is hidden while another buy button is in view.
    await expect(page.getByRole('link', { name: /^Get access - / })).toBeInViewport()
    await expect(buyBar).toBeHidden()

    await section(page, 'Key Benefits').scrollIntoViewIfNeeded()
    await expect(buyBar).toBeInViewport()
    await buyBar.click()
    await expect(section(page, 'Early-Access Pricing')).toBeInViewport()
    await expect(buyBar).toBeHidden()
  })
})

test.describe('header and footer', () => {
  test('privacy policy and terms have their required contents below a sticky header', async ({ page, shop }) => {
    await page.goto('/legal/privacy')
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Privacy Policy')
    await expect(section(page, '1. Controller')).toContainText(shop.config.supportEmail)
    await expect(section(page, '8. Your rights').getByRole('listitem')).not.toHaveCount(0)
    await expect(page.getByRole('cell', { name: 'bsl_cookie_consent' })).toBeVisible()

    await page.getByRole('navigation', { name: 'Contents' }).getByRole('link', { name: 'Your rights' }).click()
    await expect(page.getByRole('heading', { name: '8. Your rights' })).toBeInViewport()
    await expect(page.getByText(/^Last changed on \w+ \d+, \d{4}$/)).toBeVisible()

    await page.getByRole('contentinfo').getByRole('link', { name: 'Terms' }).click()
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Terms of Service')
    const terms = page.getByRole('main')
    for (const phrase of [
      'effect at the end of the billing period',
      'All fees are non-refundable, except for your consumer rights below. There are no partial refunds',
      'You have the right to withdraw from this contract within 14 days',
      'ended at any time with one month’s notice',
      'fees you paid us in the 12 months before',
      'Swiss law applies',
      'The place of jurisdiction is Solothurn',
    ])
      await expect(terms).toContainText(phrase)

    const header = page.getByRole('banner')

    await page.mouse.wheel(0, 1500)
    await expect(header).toBeInViewport()
    await expect(header.getByRole('link')).toHaveText(['Rebound Sigma', 'Products', 'About', 'Log In', 'Get access'])
    // The link works from another page and on the product page itself.
    const prices = page.getByRole('heading', { name: 'Early-Access Pricing' })
    for (const place of ['from another page', 'on the product page']) {
      await header.getByRole('link', { name: 'Get access' }).click()
      await expect(prices, place).toBeFocused()
      await expect(prices, place).toBeInViewport()
      await page.evaluate(() => scrollTo(0, 0))
    }

    await header.getByRole('link', { name: 'Log In' }).click()
    await expect(page).toHaveURL('/auth')
  })

  test('the footer is the same on every page, and readable in the dark, at 390 and 1280 px', async ({ page, shop }) => {
    const footer = page.getByRole('contentinfo')
    const readTexts = async () => {
      const texts: string[] = []
      for (const width of [390, 1280]) {
        await page.setViewportSize({ width, height: 844 })
        texts.push(await footer.innerText())
      }
      return texts
    }

    await page.goto('/')
    await expect(footer.getByRole('heading')).toHaveText(['Product', 'Company', 'Newsletter'])

    const homeTexts = await readTexts()
    await switchTheme(page)
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 844 })
      await expectAccessible(page, { rules: colorRules })
    }

    await logInAs(page, await shop.admin(), shop)
    for (const path of [
      '/checkout?product=rebound-sigma-pro',
      '/checkout/success?payment_intent=pi_unknown',
      '/dashboard',
      '/admin',
      '/admin/purchases/declarations',
    ]) {
      await page.goto(path)
      await expect(footer.getByRole('button', { name: 'Subscribe' })).toBeVisible()
      expect(await readTexts(), path).toEqual(homeTexts)
    }
  })

  test('a public shop in test mode has no link to the sandbox', async () => {
    await using publicShop = await openShop({ env: production })
    const html = await (await publicShop.visitor().fetch('/about')).text()
    expect(html).toContain('No real payments are made.')
    expect(html).not.toContain('/_sandbox/"')
  })
})

test('the help search finds answers and suggests the nearest ones without a match', async ({ page }) => {
  await page.goto('/help')
  const searchBox = page.getByRole('searchbox', { name: 'Search the answers' })
  for (const query of ['refund', 'exchange keys', 'switch monthly yearly']) {
    await searchBox.fill(query)
    await expect(page.getByText(/^\d answers? found$/)).toBeVisible()
  }

  await searchBox.fill('refunding me')
  await expect(page.getByText('Nothing found for “refunding me”.')).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Can I get my money back?' })).toBeVisible()
})
