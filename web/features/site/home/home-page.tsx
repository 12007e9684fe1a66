import source from '#content/home.md?raw'
import { brand } from '#contract/brand.ts'
import { dollars } from '#contract/money.ts'
import type { ListedProduct } from '#contract/selling/product.ts'
import { sectionAt, useContent } from '#web/api/page-texts.ts'
import { usePlans, useSettings } from '#web/api/settings.tsx'
import { SampleChart } from '#web/features/selling/sample-chart/sample-chart.tsx'
import { ReviewQuotes, ReviewSummary } from '#web/features/site/reviews/review-summary.tsx'
import { ReplayFigure } from '#web/features/site/showcase/figure.tsx'
import { HeroTop } from '#web/features/site/showcase/hero-top.tsx'
import { Principles } from '#web/features/site/showcase/principles.tsx'
import { Arrow } from '#web/ui/arrow.tsx'
import { ButtonLink } from '#web/ui/button.tsx'
import { Link } from '#web/ui/navigation.tsx'
import { Container, Eyebrow, Ruled, Tick } from '#web/ui/page.tsx'
import { Section } from '#web/ui/section.tsx'

export default function HomePage() {
  const page = useContent(source)
  // Sections by their order in `content/home.md`.
  const principles = sectionAt(page, 2)
  return (
    <Ruled>
      <Hero eyebrow={page.title} lead={page.lead} />
      <Audience {...sectionAt(page, 0)} />
      <Teaser {...sectionAt(page, 1)} />
      <ReviewQuotes {...useSettings().products[0].reviews} tick="0" />
      <Section tick="−1σ" eyebrow={principles.eyebrow} title={principles.title} lead={principles.lead}>
        <Principles />
      </Section>
      <ClosingCall {...sectionAt(page, 3)} />
    </Ruled>
  )
}

type SectionTexts = ReturnType<typeof sectionAt>

function Hero({ eyebrow, lead }: { eyebrow: string; lead: string }) {
  const [product] = useSettings().products
  const [shortestPlan] = usePlans(product.slug)
  return (
    <div className="relative pb-5">
      <Tick label="+2σ" isFirst />
      <HeroTop eyebrow={eyebrow} title={brand.headline} lead={lead} reviews={<ReviewSummary {...product.reviews} />}>
        <ButtonLink href="/products" size="lg">
          Explore Products
          <Arrow />
        </ButtonLink>
        <ButtonLink href="/about" size="lg" variant="secondary">
          About Us
        </ButtonLink>
        <p className="w-0 min-w-full text-sm text-muted">
          {product.name}: {dollars(shortestPlan.amount)} per {shortestPlan.period}. Cancel any time.
        </p>
      </HeroTop>
      <ProductPicture product={product} />
    </div>
  )
}

function ProductPicture({ product }: { product: ListedProduct }) {
  if (product.drawings) return <ReplayFigure className="h-64 w-full sm:h-80" />
  return (
    product.image && (
      <Container>
        <img src={product.image.src} alt={product.image.alt} className="w-full border border-line object-cover" />
      </Container>
    )
  )
}

function Audience({ eyebrow, title, lead, items }: SectionTexts) {
  return (
    <Section tick="+1σ" eyebrow={eyebrow} title={title} lead={lead}>
      <dl className="grid grid-cols-2 gap-x-5 gap-y-8 sm:gap-x-8 lg:grid-cols-4">
        {items.map(({ title: figure, text }) => (
          <div key={figure} className="border-t border-ink pt-4">
            <dt className="font-serif text-2xl">{figure}</dt>
            <dd className="mt-2 max-w-64 text-muted max-sm:text-sm">{text}</dd>
          </div>
        ))}
      </dl>
    </Section>
  )
}

/** Days of the sample chart with one fall below the band and its recovery. */
const reboundDays = { from: 80, to: 106 }

function Teaser({ title, lead }: SectionTexts) {
  const [product] = useSettings().products
  const { slug, name } = product
  const [shortestPlan] = usePlans(slug)
  return (
    <section className="relative border-t border-line bg-surface">
      <Tick label="+0.5σ" />
      <Container>
        <Link href={`/products/${slug}`} className="group grid gap-x-16 gap-y-8 py-14 sm:py-20 lg:grid-cols-2">
          <span className="flex flex-col items-start gap-5">
            <Eyebrow>{title}</Eyebrow>
            <h2 className="text-3xl">{name}</h2>
            <span className="text-lg text-muted">{lead}</span>
            <span className="mt-auto flex flex-wrap items-baseline gap-x-3 pt-4">
              <span className="font-serif text-3xl">{dollars(shortestPlan.amount)}</span>
              <span className="text-muted">
                per {shortestPlan.period}
                {shortestPlan.regular && ', early access'}
              </span>
            </span>
            <span className="flex items-center gap-2 font-medium underline decoration-line underline-offset-4 group-hover:decoration-accent">
              See how it works
              <Arrow />
            </span>
          </span>
          {product.drawings && <SampleChart view={reboundDays} hasAxis className="h-64 w-full lg:h-full" />}
        </Link>
      </Container>
    </section>
  )
}

function ClosingCall({ title, lead }: SectionTexts) {
  const [{ slug, name }] = useSettings().products
  return (
    <section className="call dark relative -mb-24 border-t border-line py-16 sm:py-24">
      <Tick label="−2σ" />
      <Container className="flex flex-col items-start gap-6">
        <h2 className="max-w-3xl text-3xl">{title}</h2>
        <p className="max-w-xl text-lg text-muted">{lead}</p>
        <ButtonLink href={`/products/${slug}`} size="lg">
          View {name}
          <Arrow />
        </ButtonLink>
      </Container>
    </section>
  )
}
