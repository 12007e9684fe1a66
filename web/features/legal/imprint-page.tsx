import { PageHeading } from '#web/ui/page.tsx'

export default function ImprintPage() {
  return <PageHeading title="Imprint" />
}
