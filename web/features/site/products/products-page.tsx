import { dollars } from '#contract/money.ts'
import type { ListedProduct } from '#contract/selling/product.ts'
import { usePlans, useSettings } from '#web/api/settings.tsx'
import { NewsletterForm } from '#web/features/site/newsletter/newsletter-form.tsx'
import { ReviewSummary } from '#web/features/site/reviews/review-summary.tsx'
import { Figure } from '#web/features/site/showcase/figure.tsx'
import { Arrow } from '#web/ui/arrow.tsx'
import { ButtonLink } from '#web/ui/button.tsx'
import { Badge } from '#web/ui/notice.tsx'
import { Container, PageHeading, Ruled, Tick } from '#web/ui/page.tsx'

const numbersFromTwo = ['Two', 'Three', 'Four', 'Five', 'Six', 'Seven', 'Eight', 'Nine', 'Ten']
const availabilityText = (count: number) =>
  count === 1 ? 'One is available.' : `${numbersFromTwo[count - 2] ?? count} are available.`

export default function ProductsPage() {
  const { products } = useSettings()
  const onSaleCount = products.filter(({ state }) => state === 'on sale').length
  return (
    <Ruled>
      <PageHeading
        title="Products"
        description={`Indicators for rule-based entries and exits. ${availabilityText(onSaleCount)} The next one ships when it’s proven.`}
      />
      {products.map((product) =>
        product.state === 'on sale' ? (
          <ProductCard key={product.slug} product={product} />
        ) : (
          <AnnouncedProductCard key={product.slug} product={product} />
        ),
      )}
      <MoreProductsCard />
    </Ruled>
  )
}

function ProductCard({ product }: { product: ListedProduct }) {
  const [plan, ...longerPlans] = usePlans(product.slug)
  return (
    <section className="relative border-t border-line py-10 sm:py-14">
      <Tick label="+1σ" />
      <Container className="grid gap-x-16 gap-y-8 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        {/* On a phone, name and price come before the picture. */}
        <div className="max-lg:order-2">
          {product.drawings && <Figure number={1} className="h-64 w-full sm:h-96" />}
          {!product.drawings && product.image && (
            <img src={product.image.src} alt={product.image.alt} className="w-full border border-line object-cover" />
          )}
        </div>
        <div className="flex flex-col items-start gap-5">
          <h2 className="text-3xl">{product.name}</h2>
          <p>
            <span className="font-serif text-2xl">{dollars(plan.amount)}</span>
            <span className="text-muted">
              {' '}
              per {plan.period}
              {longerPlans.map(({ amount, period }) => ` or ${dollars(amount)} per ${period}`)}
              {plan.regular && ', early access'}
            </span>
          </p>
          <p className="text-muted">{product.card}</p>
          <ul className="w-full border-t border-line">
            {product.points.map((point) => (
              <li key={point} className="border-b border-line py-2 text-sm">
                {point}
              </li>
            ))}
          </ul>
          <ButtonLink href={`/products/${product.slug}`} size="lg">
            View {product.name}
            <Arrow />
          </ButtonLink>
          <ReviewSummary {...product.reviews} />
        </div>
      </Container>
    </section>
  )
}

function AnnouncedProductCard({ product }: { product: ListedProduct }) {
  return (
    <section className="relative border-t border-line py-10 sm:py-14">
      <Tick label="0" />
      <Container className="flex flex-col items-start gap-4">
        <Badge>COMING SOON</Badge>
        <h2 className="text-3xl">{product.name}</h2>
        <p className="max-w-2xl text-muted">{product.card}</p>
      </Container>
    </section>
  )
}

function MoreProductsCard() {
  return (
    <section className="relative border-t border-line py-10 sm:py-14">
      <Tick label="−1σ" />
      <Container className="grid gap-x-16 gap-y-6 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)] lg:items-end">
        <div className="flex flex-col items-start gap-4">
          <Badge>COMING SOON</Badge>
          <h2 className="text-3xl">More Products in Development</h2>
          <p className="max-w-2xl text-muted">
            We release an indicator once its rules have held up in testing, not before. Leave your email and we’ll tell
            you when the next one is ready.
          </p>
        </div>
        <NewsletterForm successText="You'll be notified when new products launch." />
      </Container>
    </section>
  )
}
