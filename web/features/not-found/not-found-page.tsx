import { ButtonLink } from '#web/ui/button.tsx'
import { Container } from '#web/ui/page.tsx'

export default function NotFoundPage() {
  return (
    <Container className="flex flex-col items-start gap-5 py-24 sm:py-32">
      <h1 className="text-3xl">404 Page Not Found</h1>
      <p className="text-lg text-muted">Did you forget to add the page to the router?</p>
      <ButtonLink href="/">Back to the home page</ButtonLink>
    </Container>
  )
}
