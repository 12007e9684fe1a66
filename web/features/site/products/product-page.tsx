import {
  ArrowDown,
  CalendarRange,
  ChartCandlestick,
  Crosshair,
  FlaskConical,
  Funnel,
  LayoutDashboard,
  ListChecks,
  LockKeyhole,
  type LucideIcon,
  MessageCircle,
  NotebookPen,
  RefreshCw,
  ScrollText,
} from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import { whenAccessComes } from '#contract/access/promise.ts'
import { dollars } from '#contract/money.ts'
import { catalog } from '#contract/selling/catalog.ts'
import type { ListedProduct, ProductText } from '#contract/selling/product.ts'
import { useData } from '#web/api/client.ts'
import { usePlans, useSettings } from '#web/api/settings.tsx'
import { checkoutAddress } from '#web/features/selling/checkout/address.ts'
import { Maker } from '#web/features/site/about/maker.tsx'
import { ReviewQuotes, ReviewSummary } from '#web/features/site/reviews/review-summary.tsx'
import { Accordion } from '#web/ui/accordion.tsx'
import { ButtonLink } from '#web/ui/button.tsx'
import { classes } from '#web/ui/classes.ts'
import { Link, useNavigation } from '#web/ui/navigation.tsx'
import { Container, Eyebrow } from '#web/ui/page.tsx'
import { Section } from '#web/ui/section.tsx'
import { Loading } from '#web/ui/spinner.tsx'
import { ExplorableChart } from './explorable-chart.tsx'
import { BuyLink, Pricing } from './pricing.tsx'
import { Steps } from './steps.tsx'

const benefitIcons = [Crosshair, CalendarRange, ChartCandlestick, FlaskConical, Funnel, RefreshCw]
const contentIcons = [
  LockKeyhole,
  FlaskConical,
  ListChecks,
  LayoutDashboard,
  NotebookPen,
  ScrollText,
  RefreshCw,
  MessageCircle,
]

type About = { product: ListedProduct; text: ProductText }

export default function ProductPage() {
  const { products } = useSettings()
  const { pathname } = useNavigation()
  const slug = pathname.replace('/products/', '')
  const product = products.find((each) => each.slug === slug)
  const { data: text } = useData(catalog.page, { slug })
  if (!product || !text) return <Loading />
  return (
    <>
      <Hero product={product} text={text} />
      <Section title="Key Benefits" lead={text.benefits.lead}>
        <ul className="grid gap-x-10 gap-y-12 sm:grid-cols-2 lg:grid-cols-3">
          {text.benefits.items.map(({ title, text: what }, index) => (
            <li key={title} className="flex flex-col gap-3">
              <IconOf icons={benefitIcons} index={index} className="size-6 text-accent" />
              <h3 className="text-xl">{title}</h3>
              <p className="text-muted">{what}</p>
            </li>
          ))}
        </ul>
      </Section>
      <Section
        id="how-it-works"
        title="How It Works"
        lead={text.steps.lead}
        className="border-y border-line bg-surface"
      >
        <Steps items={text.steps.items} drawings={product.drawings} />
      </Section>
      <ReviewQuotes {...product.reviews} />
      {text.chart && (
        <Section title="Example Chart" lead={text.chart.lead}>
          {product.image ? (
            <img src={product.image.src} alt={product.image.alt} className="w-full rounded-xl border border-line" />
          ) : (
            <ExplorableChart product={product.name} />
          )}
        </Section>
      )}
      <Offer product={product} text={text} />
      <StickyOffer slug={slug} />
    </>
  )
}

/** On phones, a buy button stays within reach: this one, while no other is in view. */
function StickyOffer({ slug }: { slug: string }) {
  const [isNeeded, setIsNeeded] = useState(false)
  const [plan] = usePlans(slug)
  useEffect(() => {
    const inView = new Set<Element>()
    const observer = new IntersectionObserver((changes) => {
      for (const { target, isIntersecting } of changes)
        if (isIntersecting) inView.add(target)
        else inView.delete(target)
      setIsNeeded(inView.size === 0)
    })
    for (const other of document.querySelectorAll('#buy,#pricing')) observer.observe(other)
    return () => observer.disconnect()
  }, [])
  return (
    <div
      className={classes(
        'sticky-offer sticky bottom-0 z-30 mt-8 -mb-24 flex items-center justify-between gap-4 border-t border-line bg-ground/95 px-5 py-3 backdrop-blur-lg transition-[visibility,translate] md:hidden [@media(max-height:500px)]:hidden',
        !isNeeded && 'invisible translate-y-full',
      )}
    >
      <p className="leading-tight">
        <span className="font-semibold">{dollars(plan.amount)}</span>
        <span className="text-sm text-muted"> per {plan.period}</span>
      </p>
      <ButtonLink href="#pricing">Get access</ButtonLink>
    </div>
  )
}

function Offer({ product, text }: About) {
  const { maker } = useSettings()
  return (
    <>
      <Section title="What You Get" lead={text.contents.lead}>
        <ul className="grid gap-4 sm:grid-cols-2 lg:grid-cols-4">
          {text.contents.items.map(({ title, text: what }, index) => (
            <li
              key={title}
              className="flex gap-4 rounded-lg border border-line bg-surface p-5 shadow-card sm:flex-col sm:p-6"
            >
              <span className="grid size-10 shrink-0 place-items-center rounded-md bg-accent-soft text-accent-strong">
                <IconOf icons={contentIcons} index={index} className="size-5" />
              </span>
              <div>
                <h3 className="text-lg">{title}</h3>
                <p className="mt-1 text-sm text-muted sm:mt-2">{what}</p>
              </div>
            </li>
          ))}
        </ul>
      </Section>
      <SideBySide
        title="Frequently Asked Questions"
        lead={
          <>
            More on the{' '}
            <Link href="/help" className="text-ink underline decoration-accent underline-offset-4">
              help page
            </Link>
            , and what’s new in the{' '}
            <Link href="/changelog" className="text-ink underline decoration-accent underline-offset-4">
              changelog
            </Link>
            . Something else?{' '}
            <Link href="/about#contact" className="text-ink underline decoration-accent underline-offset-4">
              Write to us
            </Link>
            .
          </>
        }
        className="border-y border-line bg-surface"
      >
        <Accordion items={text.questions.map(({ title, text: content }) => ({ title, content }))} />
      </SideBySide>
      {maker && <Maker />}
      <SideBySide
        id="pricing"
        title={usePlans(product.slug)[0].regular ? 'Early-Access Pricing' : 'Pricing'}
        lead={`Join now and pay less. Cancel any time from your dashboard. ${whenAccessComes(product)}`}
      >
        <Pricing slug={product.slug} />
      </SideBySide>
    </>
  )
}

function SideBySide(props: { id?: string; title: string; lead: ReactNode; className?: string; children: ReactNode }) {
  return (
    <section id={props.id} className={classes('py-16 sm:py-24', props.className)}>
      <Container className="grid gap-x-16 gap-y-10 lg:grid-cols-[1fr_2fr]">
        <header className="flex flex-col items-start gap-4 lg:sticky lg:top-28 lg:self-start">
          <h2 className="text-3xl">{props.title}</h2>
          <p className="text-lg text-muted">{props.lead}</p>
        </header>
        {props.children}
      </Container>
    </section>
  )
}

function IconOf({ icons, index, className }: { icons: LucideIcon[]; index: number; className: string }) {
  const Icon = icons[index]
  return Icon && <Icon aria-hidden="true" className={className} strokeWidth={1.75} />
}

function Hero({ product, text }: About) {
  const [plan] = usePlans(product.slug)
  return (
    <div className="hero border-b border-line">
      <Container className="grid items-center gap-x-16 gap-y-12 py-16 sm:py-24 lg:grid-cols-[1.5fr_1fr]">
        <div className="flex flex-col items-start gap-7">
          <Eyebrow>{text.kind}</Eyebrow>
          <h1 className="text-4xl">{product.name}</h1>
          <p className="max-w-2xl text-lg text-muted sm:text-xl">{text.lead}</p>
          <div id="buy" className="flex flex-wrap gap-3 max-sm:w-full max-sm:flex-col">
            <BuyLink slug={product.slug} href={checkoutAddress(plan.key, product.slug)}>
              Get access - {dollars(plan.amount)} per {plan.period}
            </BuyLink>
            <ButtonLink href="#how-it-works" size="lg" variant="secondary">
              Learn How It Works
              <ArrowDown aria-hidden="true" className="size-4.5" />
            </ButtonLink>
          </div>
          <ReviewSummary {...product.reviews} />
        </div>
        <dl className="divide-y divide-line rounded-xl border border-line bg-surface px-6 py-2 shadow-float">
          {text.facts.map(({ name, value }) => (
            <div key={name} className="flex flex-wrap items-baseline justify-between gap-x-6 py-3.5">
              <dt className="font-mono text-xs tracking-wide text-muted uppercase">{name}</dt>
              <dd className="font-medium">{value}</dd>
            </div>
          ))}
        </dl>
      </Container>
    </div>
  )
}
