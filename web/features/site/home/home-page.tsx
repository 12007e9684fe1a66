import source from '#content/home.md?raw'
import { brand } from '#contract/brand.ts'
import { dollars } from '#contract/money.ts'
import type { ListedProduct } from '#contract/selling/product.ts'
import { sectionAt, useContent } from '#web/api/page-texts.ts'
import { usePlans, useSettings } from '#web/api/settings.tsx'
import { ReviewQuotes } from '#web/features/site/reviews/review-summary.tsx'
import { ChartPanel } from '#web/features/site/showcase/chart-panel.tsx'
import { ExampleChart } from '#web/features/site/showcase/example-chart.tsx'
import { Principles } from '#web/features/site/showcase/principles.tsx'
import { Arrow } from '#web/ui/arrow.tsx'
import { ButtonLink } from '#web/ui/button.tsx'
import { Link } from '#web/ui/navigation.tsx'
import { Container, Eyebrow } from '#web/ui/page.tsx'
import { Section } from '#web/ui/section.tsx'

export default function HomePage() {
  const page = useContent(source)
  const principles = sectionAt(page, 2)
  return (
    <>
      <Hero eyebrow={page.title} lead={page.lead} />
      <Audience {...sectionAt(page, 0)} />
      <Teaser {...sectionAt(page, 1)} />
      <ReviewQuotes {...useSettings().products[0].reviews} />
      <Section eyebrow={principles.eyebrow} title={principles.title} lead={principles.lead}>
        <Principles />
      </Section>
      <ClosingCall {...sectionAt(page, 3)} />
    </>
  )
}

type Texts = ReturnType<typeof sectionAt>

function Hero({ eyebrow, lead }: { eyebrow: string; lead: string }) {
  const [product] = useSettings().products
  const { slug, name } = product
  const [plan] = usePlans(slug)
  return (
    <div className="hero">
      <Container className="grid items-center gap-x-14 gap-y-12 pt-16 pb-4 sm:pt-24 lg:grid-cols-[1.1fr_1fr] lg:pb-10">
        <div className="flex flex-col items-start gap-7">
          <Eyebrow>{eyebrow}</Eyebrow>
          <h1 className="text-4xl">{brand.headline}</h1>
          <p className="max-w-xl text-lg text-muted sm:text-xl">{lead}</p>
          <div className="flex flex-wrap gap-3">
            <ButtonLink href="/products" size="lg">
              Explore Products
              <Arrow />
            </ButtonLink>
            <ButtonLink href="/about" size="lg" variant="secondary">
              About Us
            </ButtonLink>
          </div>
          <Link
            href={`/products/${slug}`}
            className="rounded-sm font-medium text-accent underline decoration-accent/40 underline-offset-4 hover:decoration-accent"
          >
            Go straight to {name}, {dollars(plan.amount)} per {plan.period}
          </Link>
        </div>
        <ProductPicture product={product} />
      </Container>
    </div>
  )
}

function ProductPicture({ product }: { product: ListedProduct }) {
  if (product.drawings)
    return (
      <ChartPanel product={product.name}>
        <ExampleChart className="h-72 w-full sm:h-96 lg:h-[26rem]" />
      </ChartPanel>
    )
  return (
    product.image && (
      <img
        src={product.image.src}
        alt={product.image.alt}
        className="w-full rounded-xl border border-line object-cover shadow-float"
      />
    )
  )
}

function Audience({ eyebrow, title, lead, items }: Texts) {
  return (
    <Section eyebrow={eyebrow} title={<Unbroken text={title} />} lead={lead}>
      <dl className="grid grid-cols-2 gap-x-5 gap-y-8 sm:gap-x-8 sm:gap-y-10 lg:grid-cols-4">
        {items.map(({ title: figure, text }) => (
          <div key={figure} className="border-t-2 border-accent pt-5">
            <dt className="text-2xl font-semibold tracking-tight">{figure}</dt>
            <dd className="mt-2 max-w-64 text-muted max-sm:text-sm">{text}</dd>
          </div>
        ))}
      </dl>
    </Section>
  )
}

/** A heading whose hyphenated words stay on one line. */
function Unbroken({ text }: { text: string }) {
  return text.split(/(\S+-\S+)/).map((part) =>
    part.includes('-') ? (
      <span key={part} className="whitespace-nowrap">
        {part}
      </span>
    ) : (
      part
    ),
  )
}

function Teaser({ title, lead }: Texts) {
  const [product] = useSettings().products
  const { slug, name } = product
  const [plan] = usePlans(slug)
  return (
    <Container>
      <Link
        href={`/products/${slug}`}
        className="group grid overflow-hidden rounded-xl border border-line bg-surface shadow-card transition-[border-color,box-shadow] duration-300 hover:border-accent hover:shadow-float lg:grid-cols-2"
      >
        <div className="flex flex-col items-start gap-5 p-8 sm:p-12">
          <Eyebrow>{title}</Eyebrow>
          <h2 className="text-3xl">{name}</h2>
          <p className="text-lg text-muted">{lead}</p>
          <p className="mt-auto flex flex-wrap items-baseline gap-x-3 pt-6">
            <span className="text-2xl font-semibold tracking-tight">{dollars(plan.amount)}</span>
            <span className="text-muted">
              per {plan.period}
              {plan.regular && ', early access'}
            </span>
          </p>
          <span className="flex items-center gap-2 font-medium text-accent">
            See how it works
            <Arrow />
          </span>
        </div>
        {product.drawings && <Bands />}
      </Link>
    </Container>
  )
}

function Bands() {
  return (
    <svg
      viewBox="0 0 560 420"
      preserveAspectRatio="xMidYMax slice"
      fill="none"
      aria-hidden="true"
      className="w-full border-line bg-ground max-lg:aspect-[16/10] max-lg:border-t lg:h-full lg:border-l"
    >
      {[70, 140, 210, 280, 350].map((line, index) => (
        <g key={line}>
          <path
            d={`M0 ${line}H560`}
            className={index === 2 ? 'stroke-muted/60' : 'stroke-line'}
            strokeDasharray={index === 2 ? undefined : '3 7'}
          />
          <text
            x="532"
            y={index === 2 ? line + 20 : line - 9}
            textAnchor="end"
            className="fill-muted font-mono text-[13px]"
          >
            {['+2σ', '+1σ', 'mean', '−1σ', '−2σ'][index]}
          </text>
        </g>
      ))}
      <path d="M0 350H560V420H0z" className="fill-accent/10" />
      <path
        d="M-10 232C40 190 70 150 112 168s46 74 84 66 44-62 78-52 40 92 62 150 34 58 52 22 34-128 62-150 70-16 130-58"
        className="stroke-accent"
        strokeWidth="4"
        strokeLinecap="round"
      />
      <circle cx="362" cy="373" r="20" className="fill-accent/20" />
      <circle cx="362" cy="373" r="8" className="fill-accent" />
      <circle cx="448" cy="206" r="8" className="fill-surface stroke-accent" strokeWidth="4" />
    </svg>
  )
}

function ClosingCall({ title, lead }: Texts) {
  const [{ slug, name }] = useSettings().products
  return (
    <Container className="pt-4">
      <div className="call dark flex flex-col items-start gap-6 overflow-hidden rounded-xl px-8 py-14 sm:px-14 sm:py-20">
        <h2 className="max-w-2xl text-3xl">{title}</h2>
        <p className="max-w-xl text-lg text-muted">{lead}</p>
        <ButtonLink href={`/products/${slug}`} size="lg">
          View {name}
          <Arrow />
        </ButtonLink>
      </div>
    </Container>
  )
}
