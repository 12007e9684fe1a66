import about from '#content/about.md?raw'
import home from '#content/home.md?raw'
import { brand } from '#contract/brand.ts'
import { parseContent } from '#contract/markdown.ts'
import type { SiteSettings } from '#contract/site/site-settings.ts'
import { fillPlaceholders } from './api/page-texts.ts'
import type { Route } from './router.tsx'

const firstParagraph = (source: string) => parseContent(source).lead.split('\n\n')[0] ?? ''

const descriptions: Record<string, string> = {
  '/': firstParagraph(home),
  '/products': `${brand.tagline} Start with {product}.`,
  '/about': firstParagraph(about),
  '/auth': 'Log in to your buyer area or create an account.',
  '/auth/code': 'Complete your login with a code.',
  '/auth/link': 'Log in with the link we emailed you.',
  '/login-link': 'Request a link that logs you in without a password.',
  '/forgot-password': 'Request a link to set a new password.',
  '/reset-password': 'Set a new password for your account.',
  '/confirm-address': 'Confirm that the address of your account is yours.',
  '/checkout': 'Review your order and pay securely by card.',
  '/checkout/success': 'Your purchase and your TradingView access request.',
  '/invoice': 'Open the invoice of an emailed receipt.',
  '/newsletter/confirm': 'Confirm that you’d like our newsletter.',
  '/newsletter/unsubscribe': 'Unsubscribe from our newsletter.',
  '/withdraw': 'Withdraw from a contract without logging in and without a reason.',
  '/cancel': 'Cancel a contract without logging in.',
  '/declarations/confirm': 'Confirm your withdrawal or cancellation.',
  '/welcome': 'What happens after your purchase.',
  '/setup-guide': 'From access to the first signal in six steps.',
  '/dashboard': 'Your subscriptions, invoices, and recommended assets.',
  '/account': 'How you log in, where you are logged in, and what we store about you.',
  '/account/link': 'What a link that we emailed you does.',
  '/admin': 'Recommended assets, users, and purchases.',
  '/help': 'Answers to what people ask most: access on TradingView, plan limits, renamed accounts, signals, billing.',
  '/changelog': 'What is new in {product} and on this site.',
  '/reviews': 'What people who have paid for {product} for at least 30 days say about it, good and bad.',
  '/legal/terms': 'The terms {product} is sold under: billing, cancellation, refunds, liability, and governing law.',
  '/legal/privacy': 'What personal data we process, why, for how long, with whom, and the rights you have.',
  '/legal/imprint': 'Who runs this site and how to reach us.',
  '/legal/accessibility': 'How accessible this site is, how that was tested, what is missing, and whom to tell.',
  '*': 'This page does not exist.',
}

/** Description for search engines and link previews. Not in the browser bundle. */
export function descriptionOf({ path, title }: Route, products: SiteSettings['products']) {
  // A product page is described by the product's text; `scripts/dev.ts` renders without texts and gets the name.
  const description = descriptions[path] ?? (path.startsWith('/products/') && title)
  if (!description) throw new Error(`${path} has no description`)
  return fillPlaceholders(description, products)
}
