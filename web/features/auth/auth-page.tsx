import { PageHeading } from '#web/ui/page.tsx'

export default function AuthPage() {
  return <PageHeading title="Welcome" />
}
