import { ButtonLink } from '#web/ui/button.tsx'
import { Container } from '#web/ui/page.tsx'

export function NotFound() {
  return (
    <Container className="flex flex-col items-start gap-5 py-20 sm:py-28">
      <svg viewBox="0 0 320 90" fill="none" aria-hidden="true" className="mb-4 w-64 sm:w-80" strokeLinecap="round">
        <path d="M0 64H320" className="stroke-accent/60" strokeWidth="1.5" strokeDasharray="5 6" />
        <path
          d="M2 30c22-22 40-20 58-6s30 14 46 4 26 20 44 34"
          className="stroke-accent"
          strokeWidth="3"
          strokeLinejoin="round"
        />
        <path d="M172 72c12 6 22 10 34 10" className="stroke-muted/60" strokeWidth="3" strokeDasharray="1 9" />
        <circle cx="150" cy="62" r="5" className="fill-accent" />
      </svg>
      <h1 className="text-3xl">404 Page Not Found</h1>
      <p className="text-lg text-muted">Did you forget to add the page to the router?</p>
      <div className="mt-2 flex flex-wrap gap-3">
        <ButtonLink href="/">Back to the home page</ButtonLink>
        <ButtonLink href="/products" variant="secondary">
          See the products
        </ButtonLink>
      </div>
    </Container>
  )
}
