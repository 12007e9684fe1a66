import { PageHeading } from '#web/ui/page.tsx'

export default function AdminPage() {
  return <PageHeading title="Admin Dashboard" />
}
