import { dollars } from '#contract/money.ts'
import type { ListedProduct } from '#contract/selling/product.ts'
import { usePlans, useSettings } from '#web/api/settings.tsx'
import { NewsletterForm } from '#web/features/site/newsletter/newsletter-form.tsx'
import { ExampleChart } from '#web/features/site/showcase/example-chart.tsx'
import { Arrow } from '#web/ui/arrow.tsx'
import { Link } from '#web/ui/navigation.tsx'
import { Badge } from '#web/ui/notice.tsx'
import { Container, PageHeading } from '#web/ui/page.tsx'

const numbers = ['Two', 'Three', 'Four', 'Five', 'Six', 'Seven', 'Eight', 'Nine', 'Ten']
const availableCount = (count: number) =>
  count === 1 ? 'One is available.' : `${numbers[count - 2] ?? count} are available.`

export default function ProductsPage() {
  const { products } = useSettings()
  const onSale = products.filter(({ state }) => state === 'on sale').length
  return (
    <>
      <PageHeading
        title="Products"
        description={`Indicators for rule-based entries and exits. ${availableCount(onSale)} The next one ships when it’s proven.`}
      />
      <Container className="grid items-stretch gap-6 lg:grid-cols-[1.35fr_1fr]">
        {products.map((product) =>
          product.state === 'on sale' ? (
            <ProductCard key={product.slug} product={product} />
          ) : (
            <ComingCard key={product.slug} product={product} />
          ),
        )}
        <ComingSoonCard />
      </Container>
    </>
  )
}

function ProductCard({ product }: { product: ListedProduct }) {
  const [plan, ...longer] = usePlans(product.slug)
  return (
    <Link
      href={`/products/${product.slug}`}
      className="group flex flex-col overflow-hidden rounded-xl border border-line bg-surface shadow-card transition-[border-color,box-shadow] duration-300 hover:border-accent hover:shadow-float"
    >
      {product.drawings && (
        <span className="relative block border-b border-line bg-ground">
          <ExampleChart className="h-72 w-full [--curtain:var(--color-ground)]" />
          <Badge className="absolute top-4 left-4">Illustrative</Badge>
        </span>
      )}
      {!product.drawings && product.image && (
        <img src={product.image.src} alt={product.image.alt} className="h-72 w-full object-cover" />
      )}
      <span className="flex flex-1 flex-col items-start gap-4 p-7 sm:p-9">
        {plan.regular && <Badge tone="good">Early access</Badge>}
        <h2 className="text-2xl">{product.name}</h2>
        <span className="text-muted">{product.card}</span>
        <span className="mt-auto flex w-full flex-wrap items-baseline justify-between gap-3 pt-4">
          <span>
            <span className="text-2xl font-semibold tracking-tight">{dollars(plan.amount)}</span>
            <span className="text-muted">
              {' '}
              per {plan.period}
              {longer.map(({ amount, period }) => ` or ${dollars(amount)} per ${period}`)}
            </span>
          </span>
          <span className="flex items-center gap-2 font-medium text-accent">
            View details
            <Arrow />
          </span>
        </span>
      </span>
    </Link>
  )
}

function ComingCard({ product }: { product: ListedProduct }) {
  return (
    <section className="flex flex-col items-start gap-4 rounded-xl border border-dashed border-field p-7 sm:p-9">
      <Badge>COMING SOON</Badge>
      <h2 className="text-2xl">{product.name}</h2>
      <p className="text-muted">{product.card}</p>
    </section>
  )
}

function ComingSoonCard() {
  return (
    <section className="flex flex-col items-start gap-4 rounded-xl border border-dashed border-field p-7 sm:p-9">
      <Badge>COMING SOON</Badge>
      <h2 className="text-2xl">More Products in Development</h2>
      <p className="text-muted">
        We release an indicator once its rules have held up in testing, not before. Leave your email and we’ll tell you
        when the next one is ready.
      </p>
      <div className="mt-auto w-full pt-6">
        <NewsletterForm success="You'll be notified when new products launch." />
      </div>
    </section>
  )
}
