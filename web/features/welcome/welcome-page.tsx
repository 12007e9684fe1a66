import { PageHeading } from '#web/ui/page.tsx'

export default function WelcomePage() {
  return <PageHeading title="Welcome" />
}
