import { PageHeading } from '#web/ui/page.tsx'

export default function HomePage() {
  return <PageHeading title="Premium Trading Indicators" />
}
