import { PageHeading } from '#web/ui/page.tsx'

export default function SetupGuidePage() {
  return <PageHeading title="Setup Guide" />
}
