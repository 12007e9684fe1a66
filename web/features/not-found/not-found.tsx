import { SampleChart } from '#web/features/selling/sample-chart/sample-chart.tsx'
import { ButtonLink } from '#web/ui/button.tsx'
import { Link } from '#web/ui/navigation.tsx'
import { Container } from '#web/ui/page.tsx'

/** Days of the fall below the band, without the rebound. */
const fall = { from: 70, to: 98 }

export function NotFound() {
  return (
    <>
      {/* Half a day is cut off at each side, so the curve runs from edge to edge. */}
      <div className="overflow-hidden border-b border-line">
        <SampleChart view={fall} isLine className="-mx-[1.8%] h-56 sm:h-80" />
      </div>
      <Container className="flex flex-col items-start gap-5 py-12 sm:py-16">
        <h1 className="text-3xl">404 Page Not Found</h1>
        <p className="text-lg text-muted">Did you forget to add the page to the router?</p>
        <p className="text-muted">
          If you came from a link of ours,{' '}
          <Link href="/about#contact" className="text-ink underline decoration-line underline-offset-4">
            tell us
          </Link>
          .
        </p>
        <div className="mt-2 flex flex-wrap gap-3">
          <ButtonLink href="/">Back to the home page</ButtonLink>
          <ButtonLink href="/products" variant="secondary">
            See the products
          </ButtonLink>
        </div>
      </Container>
    </>
  )
}
