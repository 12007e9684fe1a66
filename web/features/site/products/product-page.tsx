import { ArrowDown } from 'lucide-react'
import { useEffect, useState } from 'react'
import { accessPromise } from '#contract/access/promise.ts'
import { dollars } from '#contract/money.ts'
import { catalog } from '#contract/selling/catalog.ts'
import type { ListedProduct, ProductText } from '#contract/selling/product.ts'
import { useData } from '#web/api/client.ts'
import { usePlans, useSettings } from '#web/api/settings.tsx'
import { checkoutAddress } from '#web/features/selling/checkout/address.ts'
import { useOwned } from '#web/features/selling/checkout/use-owned.ts'
import { Maker } from '#web/features/site/about/maker.tsx'
import { ReviewQuotes, ReviewSummary } from '#web/features/site/reviews/review-summary.tsx'
import { Figure, ReplayFigure } from '#web/features/site/showcase/figure.tsx'
import { UnlockTime } from '#web/features/site/showcase/figures-line.tsx'
import { HeroTop } from '#web/features/site/showcase/hero-top.tsx'
import { Accordion } from '#web/ui/accordion.tsx'
import { ButtonLink } from '#web/ui/button.tsx'
import { Pending } from '#web/ui/card.tsx'
import { classes } from '#web/ui/classes.ts'
import { Link, useNavigation } from '#web/ui/navigation.tsx'
import { Container, Ruled, Tick } from '#web/ui/page.tsx'
import { Section } from '#web/ui/section.tsx'
import { Loading } from '#web/ui/spinner.tsx'
import { BuyLink, Pricing } from './pricing.tsx'
import { Steps } from './steps.tsx'

type ProductPageProps = { product: ListedProduct; text: ProductText }

export default function ProductPage() {
  const { products } = useSettings()
  const { pathname } = useNavigation()
  const slug = pathname.replace('/products/', '')
  const product = products.find((candidate) => candidate.slug === slug)
  const query = useData(catalog.page, { slug })
  const { data: text } = query
  if (!text && query.isError)
    return (
      <Container className="pt-14 sm:pt-20">
        <Pending query={query} what="this page" />
      </Container>
    )
  if (!product || !text) return <Loading />
  return (
    <Ruled>
      <Hero product={product} text={text} />
      <Section tick="+1.5σ" title="Key Benefits" lead={text.benefits.lead} isSplit>
        <ul className="grid gap-x-10 sm:grid-cols-2">
          {text.benefits.items.map(({ title, text: description }) => (
            <li key={title} className="flex flex-col gap-2 border-t border-line py-6">
              <h3 className="text-lg">{title}</h3>
              <p className="text-muted">{description}</p>
            </li>
          ))}
        </ul>
      </Section>
      <Section id="how-it-works" tick="+1σ" title="How It Works" lead={text.steps.lead} className="bg-surface">
        <Steps items={text.steps.items} drawings={product.drawings} />
      </Section>
      <ReviewQuotes {...product.reviews} tick="+0.5σ" />
      {text.chart && (
        <Section tick="0" title="Example Chart" lead={text.chart.lead}>
          {product.image ? (
            <img src={product.image.src} alt={product.image.alt} className="w-full border border-line" />
          ) : (
            <Figure number={2} className="h-80 w-full sm:h-[28rem]" />
          )}
        </Section>
      )}
      <Offer product={product} text={text} />
      <StickyOffer slug={slug} />
    </Ruled>
  )
}

/** Buy button on phones for visitors without a subscription, while no other buy button is in view. */
function StickyOffer({ slug }: { slug: string }) {
  const [isOnlyButton, setIsOnlyButton] = useState(false)
  const [plan] = usePlans(slug)
  const { purchase } = useOwned(slug)
  useEffect(() => {
    const inView = new Set<Element>()
    const observer = new IntersectionObserver((changes) => {
      for (const { target, isIntersecting } of changes) {
        if (isIntersecting) inView.add(target)
        else inView.delete(target)
      }
      setIsOnlyButton(inView.size === 0)
    })
    for (const buttons of document.querySelectorAll('#buy,#pricing')) observer.observe(buttons)
    return () => observer.disconnect()
  }, [])
  return (
    <div
      className={classes(
        'sticky-offer sticky bottom-0 z-30 mt-8 -mb-24 flex items-center justify-between gap-4 border-t border-line bg-ground/95 px-5 py-3 backdrop-blur-lg transition-[visibility,translate] md:hidden [@media(max-height:500px)]:hidden',
        (!isOnlyButton || purchase) && 'invisible translate-y-full',
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

const inlineLink = 'text-ink underline decoration-line underline-offset-4 hover:decoration-accent'

function Offer({ product, text }: ProductPageProps) {
  const { maker } = useSettings()
  const [plan] = usePlans(product.slug)
  return (
    <>
      <Section tick="−0.5σ" title="What You Get" lead={text.contents.lead} isSplit className="bg-surface">
        <div>
          <ol className="border-t border-ink">
            {text.contents.items.map(({ title, text: description }, index) => (
              <li
                key={title}
                className="grid grid-cols-[2rem_minmax(0,1fr)] gap-x-4 gap-y-1 border-b border-line py-4 sm:grid-cols-[2rem_minmax(0,13rem)_minmax(0,1fr)] sm:items-baseline"
              >
                <span aria-hidden="true" className="font-mono text-sm text-muted">
                  {index + 1}
                </span>
                <h3 className="text-base">{title}</h3>
                <p className="text-muted max-sm:col-start-2">{description}</p>
              </li>
            ))}
          </ol>
          <PriceLine product={product} />
        </div>
      </Section>
      <Section
        tick="−1σ"
        title="Frequently Asked Questions"
        isSplit
        lead={
          <p>
            More on the{' '}
            <Link href="/help" className={inlineLink}>
              help page
            </Link>
            , and what’s new in the{' '}
            <Link href="/changelog" className={inlineLink}>
              changelog
            </Link>
            . Something else?{' '}
            <Link href="/about#contact" className={inlineLink}>
              Write to us
            </Link>
            .
          </p>
        }
      >
        <Accordion items={text.questions.map(({ title, text: content }) => ({ title, content }))} />
      </Section>
      {maker && <Maker />}
      <Section
        id="pricing"
        tick="−2σ"
        title={plan.regular ? 'Early-Access Pricing' : 'Pricing'}
        lead={`${plan.regular ? 'Join now and pay less. ' : ''}Cancel any time from your dashboard. ${accessPromise(product)}`}
        isSplit
      >
        <Pricing slug={product.slug} />
      </Section>
    </>
  )
}

function PriceLine({ product: { slug, reviews } }: { product: ListedProduct }) {
  const [plan] = usePlans(slug)
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-8 gap-y-4 pt-6">
      <p className="flex flex-wrap items-baseline gap-x-3">
        <span className="font-serif text-2xl">{dollars(plan.amount)}</span>
        <span className="text-muted">per {plan.period}, all included</span>
      </p>
      <span className="flex flex-wrap items-center gap-x-6 gap-y-3">
        <ReviewSummary {...reviews} />
        <ButtonLink href="#pricing" variant="secondary">
          See the plans
        </ButtonLink>
      </span>
    </div>
  )
}

function Hero({ product, text }: ProductPageProps) {
  const [plan] = usePlans(product.slug)
  return (
    <div className="relative pb-8">
      <Tick label="+2σ" isFirst />
      <HeroTop
        id="buy"
        eyebrow={text.kind}
        title={product.name}
        lead={text.lead}
        reviews={
          <span className="flex flex-wrap gap-x-6">
            <ReviewSummary {...product.reviews} />
            <UnlockTime />
          </span>
        }
      >
        <BuyLink slug={product.slug} href={checkoutAddress(plan.key, product.slug)}>
          Get access - {dollars(plan.amount)} per {plan.period}
        </BuyLink>
        <ButtonLink href="#how-it-works" size="lg" variant="secondary">
          Learn How It Works
          <ArrowDown aria-hidden="true" className="size-4.5" />
        </ButtonLink>
      </HeroTop>
      {product.drawings && <ReplayFigure className="h-64 w-full sm:h-80" />}
      <Container>
        <dl className="mt-6 grid grid-cols-2 gap-x-8 border-t border-line sm:grid-cols-3 lg:grid-cols-6">
          {text.facts.map(({ name, value }) => (
            <div key={name} className="border-b border-line py-3">
              <dt className="text-sm text-muted">{name}</dt>
              <dd className="text-sm font-medium">{value}</dd>
            </div>
          ))}
        </dl>
      </Container>
    </div>
  )
}
