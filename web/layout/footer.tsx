import { brand } from '#contract/brand.ts'
import { labels } from '#contract/selling/legal/consumer-law.ts'
import type { SiteSettings } from '#contract/site/site-settings.ts'
import { useSettings } from '#web/api/settings.tsx'
import { NewsletterForm } from '#web/features/site/newsletter/newsletter-form.tsx'
import { AnyLink, type Href, Link } from '#web/ui/navigation.tsx'
import { Container } from '#web/ui/page.tsx'
import { openCookieSettings, useBannerNeeded } from './cookie-banner.tsx'
import { Logo } from './logo.tsx'

const linkClasses = '-my-1 rounded-sm py-1 text-muted transition-colors hover:text-ink'

/** Addresses by the text of their link. */
type LinkTexts = Record<string, string>

function linkColumns({ supportEmail, products }: SiteSettings): Record<string, LinkTexts> {
  const productLinks: LinkTexts = { Products: '/products' }
  for (const { name, slug, state } of products) {
    if (state === 'on sale') productLinks[name] = `/products/${slug}`
  }
  return { Product: productLinks, Company: { About: '/about', Support: `mailto:${supportEmail}` } }
}

const legalLinks: LinkTexts = {
  Terms: '/legal/terms',
  Privacy: '/legal/privacy',
  Imprint: '/legal/imprint',
  Accessibility: '/legal/accessibility',
  Changelog: '/changelog',
  Help: '/help',
}

const Links = ({ links }: { links: LinkTexts }) =>
  Object.entries(links).map(([name, href]) => (
    <AnyLink key={href} href={href} className={linkClasses}>
      {name}
    </AnyLink>
  ))

export function Footer() {
  const { consumerLaw } = useSettings()
  const asksForConsent = useBannerNeeded()
  return (
    <footer className="mt-24 border-t border-line bg-surface">
      <Columns />
      <Container>
        <p className="border-t border-line pt-6 text-xs text-muted">
          Trading involves risk, and you can lose all the capital you use. Our indicators are software, not investment
          advice. Past and backtested results do not predict future results.
        </p>
      </Container>
      {consumerLaw === 'eu' && (
        <Container>
          <nav aria-label="Contracts" className="flex flex-wrap gap-x-8 gap-y-3 pt-6 text-sm">
            <ContractLink href="/cancel" label={labels.cancelHere} />
            <ContractLink href="/withdraw" label={labels.withdrawHere} />
          </nav>
        </Container>
      )}
      <Container className="flex flex-wrap items-center justify-between gap-x-8 gap-y-3 py-6 text-sm text-muted">
        <p>
          © <CurrentYear /> {brand.name}. All rights reserved.
        </p>
        <nav aria-label="Legal" className="flex flex-wrap gap-x-6 gap-y-2">
          <Links links={legalLinks} />
          {asksForConsent && (
            <button type="button" onClick={openCookieSettings} className={`cursor-pointer ${linkClasses}`}>
              Cookie settings
            </button>
          )}
        </nav>
      </Container>
    </footer>
  )
}

/** The law requires these two links, with its wording, on every page. */
function ContractLink({ href, label }: { href: Href; label: { en: string; de: string } }) {
  return (
    <Link href={href} className="flex flex-wrap gap-x-2 rounded-sm py-0.5 font-medium hover:underline">
      {label.en}
      <span lang="de" className="font-normal text-muted">
        {label.de}
      </span>
    </Link>
  )
}

function Columns() {
  const settings = useSettings()
  return (
    <Container className="grid grid-cols-2 gap-10 py-14 lg:grid-cols-[1.6fr_1.1fr_0.9fr_2.2fr]">
      <div className="flex flex-col items-start gap-4 max-lg:col-span-full">
        <Logo />
        <p className="max-w-xs text-sm text-muted">{brand.tagline}</p>
      </div>
      {Object.entries(linkColumns(settings)).map(([title, links]) => (
        <nav key={title} aria-label={title} className="flex flex-col items-start gap-3 text-sm">
          <h2 className="text-sm">{title}</h2>
          <Links links={links} />
        </nav>
      ))}
      <div className="flex flex-col gap-4 max-lg:col-span-full max-lg:max-w-md">
        <h2 className="text-sm">Newsletter</h2>
        <p className="text-sm text-muted">News about new products. No noise. Unsubscribe any time.</p>
        <NewsletterForm successText="You've been added to our newsletter." />
      </div>
    </Container>
  )
}

/** Corrects the year in the browser, because the page may have been prerendered last year. */
function CurrentYear() {
  return (
    <span
      suppressHydrationWarning
      ref={(element) => {
        if (element) element.textContent = currentYear()
      }}
    >
      {currentYear()}
    </span>
  )
}

function currentYear() {
  return String(new Date().getFullYear())
}
