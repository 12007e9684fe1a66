import { PageHeading } from '#web/ui/page.tsx'

export default function DashboardPage() {
  return <PageHeading title="Dashboard" />
}
