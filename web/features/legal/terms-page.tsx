import { PageHeading } from '#web/ui/page.tsx'

export default function TermsPage() {
  return <PageHeading title="Terms of Service" />
}
